// bw2l.md: what is read, every malformed case that the bytes decide, and that splits change nothing.
#include "container/bw2l/bw2l_reader.h"

#include <functional>
#include <limits>
#include <random>

#include "container/bw2l_builder.h"
#include "container/malformed_file.h"
#include "harness.h"

namespace susurrus::testing::bw2l_reader_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

struct SectionBytes : Bw2lSink {
  Status on_bytes(const Bw2lSection& section, ByteSpan bytes) override {
    Bytes& kept = sections[section.name];
    kept.insert(kept.end(), bytes.begin(), bytes.end());
    return ok_status();
  }
  std::map<std::string, Bytes> sections;
};

Status read_whole(Bw2lReader& reader, const Bytes& file) {
  return read(reader, file, true, [] { return ~size_t{0}; });
}

template <typename Edit>
Bytes edited(Edit&& edit) {
  Bw2lBuilder builder;
  edit(builder);
  return builder.build();
}

struct Malformed {
  const char* name;
  Code code;
  Reason reason;
  uint64_t offset;
  std::string subject;
  Bytes file;
};

void expect_refused(const std::vector<Malformed>& cases) {
  Bw2lReader sound;
  ASSERT_TRUE(read_whole(sound, Bw2lBuilder().build()));
  for (const Malformed& one : cases) {
    for (const bool tell_length : {true, false}) {
      Bw2lReader whole;
      expect_error(one, read(whole, one.file, tell_length, [] { return ~size_t{0}; }), "whole");
      Bw2lReader bytewise;
      expect_error(one, read(bytewise, one.file, tell_length, [] { return size_t{1}; }),
                   "bytewise");
      std::mt19937 random(7);
      Bw2lReader pieces;
      expect_error(one, read(pieces, one.file, tell_length, [&] { return size_t{random() % 40}; }),
                   "in pieces");
    }
  }
}

/// A case whose file `edit` made; the error is in a section's data, at the given offset.
template <typename Edit>
Malformed in_section(const char* name, Reason reason, std::string_view section, uint64_t at,
                     std::string subject, Edit&& edit, Code code = Code::malformed) {
  Bw2lBuilder builder;
  edit(builder);
  Bytes file = builder.build();
  return {name, code, reason, builder.data_at[std::string(section)] + at, subject, file};
}

std::string warnings_of(const Bytes& file) {
  Bw2lReader reader;
  const Status status = read_whole(reader, file);
  if (!status) return "refused: " + std::string(status.error().subject.view());
  std::string text;
  for (const std::string& warning : reader.warnings()) text += warning + "\n";
  return text;
}

}  // namespace

SUSURRUS_TEST(bw2l_is_read) {
  Bw2lBuilder builder;
  const Bytes file = builder.build();
  std::mt19937 random(1);
  const std::function<size_t()> sizes[] = {[] { return ~size_t{0}; }, [] { return size_t{1}; },
                                           [&] { return size_t{random() % 100}; }};
  for (const auto& next_size : sizes) {
    for (const bool tell_length : {true, false}) {
      SectionBytes bytes;
      Bw2lReader reader(&bytes);
      ASSERT_TRUE(read(reader, file, tell_length, next_size));
      const Bw2lModel& model = reader.model();
      EXPECT_EQ(model.name, "test");
      ASSERT_EQ(model.sections.size(), 7u);
      for (size_t i = 0; i < 7; ++i) {
        const Bw2lSection& section = model.sections[i];
        EXPECT_EQ(section.name, builder.sections[i].name);
        EXPECT_EQ(section.type, builder.sections[i].type);
        EXPECT_EQ(section.description, builder.sections[i].description);
        EXPECT_EQ(section.file_offset, builder.section_at[section.name]);
        EXPECT_EQ(section.data_offset, builder.data_at[section.name]);
        EXPECT_EQ(section.byte_count, builder.sections[i].data.size());
      }
      const auto& flags = model.find("flags")->pairs;
      ASSERT_EQ(flags.size(), 3u);
      EXPECT_EQ(find_pair(flags, "filterbanks")->value, "40");
      EXPECT_EQ(flags[2].key, "");
      EXPECT_TRUE(bytes.sections["tokens"] == builder["tokens"].data);
      EXPECT_TRUE(bytes.sections["spm"] == builder["spm"].data);
      EXPECT_TRUE(bytes.sections["notes"] == builder["notes"].data);
      EXPECT_TRUE(reader.tokens() == std::vector<std::string>({"|", "a", "'", "b"}));
      EXPECT_EQ(bw2l_criterion_name(reader.settings().criterion), "ctc");
      EXPECT_EQ(bw2l_feature_name(reader.settings().feature), "mfsc");
      const auto& layers = model.find("layers")->layers;
      ASSERT_EQ(layers.size(), 4u);
      EXPECT_EQ(layers[1].arch, "C2 1 2 3 1 1 1");
      ASSERT_EQ(layers[3].arrays.size(), 2u);
      EXPECT_EQ(layers[3].scale, 0.5f);
      EXPECT_EQ(layers[3].offset, -3);
      EXPECT_TRUE(layers[3].arrays[0].dtype == Bw2lDtype::i8);
      EXPECT_EQ(layers[3].arrays[0].count, 320u);
      EXPECT_TRUE(layers[3].arrays[1].dtype == Bw2lDtype::fp16);
      EXPECT_EQ(bytes.sections["layers"].size(), 24u + 8 + 320 + 8);
      // The elements where the outline says that they are.
      const auto at = layers[3].arrays[1].file_offset;
      EXPECT_EQ(file[at + 1], 7);
      EXPECT_TRUE(reader.warnings().empty());
    }
  }
}

SUSURRUS_TEST(bw2l_arrays_of_every_type) {
  const std::pair<const char*, uint32_t> types[] = {
      {"fp64", 8}, {"fp32", 4}, {"fp16", 2}, {"i64", 8}, {"i32", 4}, {"i16", 2}, {"i8", 1}};
  for (const auto& [type, size] : types) {
    Bw2lBuilder builder;
    BuiltSection& section = builder["transitions"];
    section.type = "array";
    append_array(section.data, type, 16, size);
    SectionBytes bytes;
    Bw2lReader reader(&bytes);
    ASSERT_TRUE(read_whole(reader, builder.build()));
    const Bw2lSection& read = *reader.model().find("transitions");
    EXPECT_EQ(bw2l_dtype_traits(read.array.dtype).name, type);
    EXPECT_EQ(read.array.byte_count(), 16 * size);
    EXPECT_EQ(bytes.sections["transitions"].size(), 16 * size);
  }
}

SUSURRUS_TEST(bw2l_settings_fall_back) {
  const auto settings_of = [](auto edit) {
    Bw2lReader reader;
    const Status status = read_whole(reader, edited(edit));
    return status ? reader.settings() : Bw2lSettings{.samplerate = -1};
  };
  const auto add_transitions = [](Bw2lBuilder& b, uint64_t count) {
    b["transitions"].type = "array";
    append_array(b["transitions"].data, "fp32", count, 4);
  };
  // transitions, and no criterion anywhere
  EXPECT_TRUE(settings_of([&](Bw2lBuilder& b) {
                b.remove("config");
                add_transitions(b, 16);
              }).criterion == Bw2lCriterion::asg);
  EXPECT_TRUE(settings_of([](Bw2lBuilder& b) { b.remove("config"); }).criterion ==
              Bw2lCriterion::ctc);
  // config is asked before flags, and the last of equal keys counts
  EXPECT_TRUE(settings_of([&](Bw2lBuilder& b) {
                b.set_pairs("config", {{"criterion", "ctc"}, {"criterion", "asg"}});
                b.set_pairs("flags", {{"criterion", "ctc"}, {"replabel", "2"}, {"eostoken", "T"}});
                add_transitions(b, 49);
              }).criterion == Bw2lCriterion::asg);
  EXPECT_TRUE(settings_of([](Bw2lBuilder& b) {
                b.set_pairs("config", {{"feature", "pow"}});
              }).feature == Bw2lFeature::pow);
  EXPECT_TRUE(settings_of([](Bw2lBuilder& b) { b.remove("flags"); }).feature == Bw2lFeature::raw);
  EXPECT_EQ(settings_of([](Bw2lBuilder& b) {
              b.set_pairs("flags", {{"samplerate", "8000"}});
            }).samplerate,
            8000);
}

SUSURRUS_TEST(bw2l_oddities_are_warnings) {
  EXPECT_EQ(warnings_of(Bw2lBuilder().build()), "");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) { b.remove("arch"); })), "");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) { b.behind = {1}; })),
            "unused bytes behind the last section\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) { b.name = "\xFF"; })),
            "the name is not valid UTF-8\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) { b.sections.push_back(b["spm"]); })),
            "sections share a name, of which the last one counts\n");
  EXPECT_EQ(
      warnings_of(edited([](Bw2lBuilder& b) { b.set_text("arch", "V -1 1 NFEAT 0\nR\nR\nR"); })),
      "arch differs from the layers' own lines, which count\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) {
              b.set_pairs("flags", {{"mfsc", "1"}, {"filterbanks", "200"}});
            })),
            "some filterbanks are empty: too many for this frame size\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) {
              b.set_pairs("flags", {{"mfsc", "1"}, {"filterbanks", "80"}});
            })),
            "");
}

SUSURRUS_TEST(bw2l_pairs_are_named_by_their_place_in_the_section) {
  Bw2lBuilder builder;
  builder.set_pairs("flags", {{"a", "1"}, {"b", "2"}});
  builder["config"].data = {1, 'a', 2, 0, 0, 0, 0, 0, 0, 0, 'b'};
  Bw2lReader reader;
  const Status status = read_whole(reader, builder.build());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().subject.view(), "config[0].value");
}

SUSURRUS_TEST(bw2l_what_cannot_be_run_is_described_with_a_warning) {
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) { b.remove("tokens"); })),
            "there is no section tokens: such a model cannot be run\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) { b.remove("layers"); })),
            "there is no section layers: such a model cannot be run\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) {
              b.remove("flags");
              b.remove("config");
            })),
            "there is no section flags or config: such a model cannot be run\n");
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) {
              b.sections.clear();
              b["tokens"].type = "utf8";
              b.set_text("tokens", "a");
            })),
            "there is no section layers: such a model cannot be run\n"
            "there is no section flags or config: such a model cannot be run\n");
  // Transitions cannot be counted against tokens that are not there.
  EXPECT_EQ(warnings_of(edited([](Bw2lBuilder& b) {
              b.remove("tokens");
              b.set_pairs("config", {{"criterion", "asg"}});
              b["transitions"].type = "array";
              append_array(b["transitions"].data, "fp32", 7, 4);
            })),
            "there is no section tokens: such a model cannot be run\n");
  for (const std::string criterion : {"seq2seq", "transformer"}) {
    const Bytes file =
        edited([&](Bw2lBuilder& b) { b.set_pairs("config", {{"criterion", criterion}}); });
    EXPECT_EQ(warnings_of(file),
              "the criterion " + criterion + " cannot be run, only ctc and asg\n");
    Bw2lReader reader;
    ASSERT_TRUE(read_whole(reader, file));
    EXPECT_EQ(bw2l_criterion_name(reader.settings().criterion), criterion);
  }
  // Codes that are not known, whatever arrays they have.
  const auto with_layers = [](const std::vector<BuiltLayer>& layers) {
    return edited([&](Bw2lBuilder& b) {
      b.remove("arch");
      b.set_layers(layers);
    });
  };
  const std::string unknown = ": no layer that BW2L defines, cannot be run\n";
  for (const std::string line :
       {"X 1", "c 1 2 3 4", "SKIP 0 2", "RES 1 0\nQ", "WN 3 SINPOSEMB 1"}) {
    const Bytes file = with_layers({{line, {{"fp32", 3}, {"i8", 1}, {"fp32", 2}}}, {"R"}});
    // The warning shows a block's unknown line alone.
    const std::string shown = line.substr(line.find('\n') + 1);
    EXPECT_EQ(warnings_of(file), "layers[0].arch (" + shown + ")" + unknown);
    Bw2lReader reader;
    ASSERT_TRUE(read_whole(reader, file));
    EXPECT_EQ(reader.model().find("layers")->layers[0].arrays.size(), 3u);
  }
  EXPECT_EQ(warnings_of(with_layers({{"R"}, {"CFR 8"}, {"R"}, {"ADAPTIVEE 1 2"}, {"X"}})),
            "layers[1].arch (CFR 8) and 2 more" + unknown);
}

SUSURRUS_TEST(bw2l_arch_with_placeholders_is_compared_with_the_layers) {
  const auto warnings = [](const std::string& arch, const std::vector<BuiltLayer>& layers) {
    return warnings_of(edited([&](Bw2lBuilder& b) {
      b.set_text("arch", arch);
      b.set_layers(layers);
    }));
  };
  const std::string differs = "arch differs from the layers' own lines, which count\n";
  EXPECT_EQ(warnings("V -1 1 NFEAT 0\nL  NFEAT NLABEL 0\n",
                     {{"V -1 1 40 0"}, {"L 40 28 0", {{"fp32", 1120}}}}),
            "");
  EXPECT_EQ(warnings("L 1NFEAT NLABEL 0", {{"L 140 28 0", {{"fp32", 3920}}}}), "");
  // Lines that keep the placeholders.
  EXPECT_EQ(warnings("V -1 1 NFEAT 0", {{"V -1 1 NFEAT 0"}}), "");
  // Another word, a word that is not a number, and two numbers for one name.
  EXPECT_EQ(warnings("V -1 2 NFEAT 0", {{"V -1 1 40 0"}}), differs);
  EXPECT_EQ(warnings("V -1 1 NFEAT 0", {{"V -1 1 -1 0"}}), differs);
  EXPECT_EQ(warnings("V -1 1 NFEAT 0\nV -1 1 NFEAT 0", {{"V -1 1 40 0"}, {"V -1 1 41 0"}}),
            differs);
}

SUSURRUS_TEST(bw2l_layers_of_every_code) {
  const auto fp32 = [](size_t count) {
    return std::vector<std::pair<std::string, uint64_t>>(count, {"fp32", 1});
  };
  const auto sized = [](std::initializer_list<uint64_t> counts) {
    std::vector<std::pair<std::string, uint64_t>> arrays;
    for (const uint64_t count : counts) arrays.emplace_back("fp32", count);
    return arrays;
  };
  const std::vector<BuiltLayer> good = {
      {"V -1 NFEAT 1 0"},
      {"RO 2 0 3 1"},
      {"PD 0 5 3"},
      {"PD 0 5 3 1 1"},
      {"C 80 NLABEL 3 1 -1 1", fp32(2)},
      {"C1 1 2 3 4", sized({6, 2})},
      {"C2 1 2 3 4 5 6 7 8 9 1", sized({24, 2})},
      {"AC 1 2 3 4 -1 0.5 1", sized({6, 2})},
      {"TDS 10 21 80 0.05 0 1 0", fp32(10)},
      {"L 80 4", sized({320, 4})},
      {"L 80 4 0", sized({320})},
      {"E 8 9", sized({72})},
      {"BN 80 0 1", fp32(2)},
      {"BN 80 0 1", fp32(4)},
      {"LN 1 2", fp32(2)},
      {"LN 0 1 2", fp32(2)},
      {"WN 3 C2 1 2 3 1 1 1", sized({6, 2, 2})},
      {"WN 0 L 8 9", sized({72, 9, 9})},
      {"DO 0.25"},
      {"M 2 1 2 1"},
      {"A 2 1 2 1 0 0"},
      {"ELU"},
      {"R"},
      {"R6"},
      {"PR", fp32(1)},
      {"PR 8 0.25", fp32(1)},
      {"LG"},
      {"HT"},
      {"T"},
      {"GLU 2"},
      {"LSM 0"},
      {"SH"},
      {"SH 1.5"},
      {"LSTM 1 2 3 1 0.5", fp32(1)},
      {"GRU 1 2", fp32(1)},
      {"RNN 1 2", fp32(1)},
      {"SAUG 80 27 2 100 1.0 2"},
      {"TR 768 3072 4 460 0.2 0.2 1", fp32(11)},
      {"TR 768 3072 4 0 0.2", fp32(10)},
      {"CTR 8 8 2 10 3 0.1", fp32(29)},
      {"CTR 8 8 2 0 3 0.1", fp32(28)},
      {"POSEMB 8 9", sized({72})},
      {"RES 2 1\nC 1 2 3 1\nSKIP 0 3\nL 1 2 0", fp32(3)},
      {"RES 1 1 2\nC 1 2 3 1\nSKIPL 0 2 1 0.5\nL 1 2 0", fp32(6)},
  };
  std::string arch;
  for (const BuiltLayer& layer : good) arch += layer.arch + "\n";
  const Bytes file = edited([&](Bw2lBuilder& b) {
    b.set_layers(good);
    b.set_text("arch", arch);
  });
  EXPECT_EQ(warnings_of(file),
            "layers[12] and 3 more: RNN, GRU, LSTM, and BN without running statistics, cannot be "
            "run\n");

  // 20: codes, words, numbers.
  const char* bad[] = {
      "V 1 2 3",
      "V 1 2 3 4 5",
      "RO 0 1 2",
      "PD 0 1",
      "PD 0 1 2 3",
      "C 1 2 3",
      "C2 1 2 3 4 5",
      "C2 1 2 3 4 5 6 7 8 9 1 1",
      "TDS 1 2",
      "L 1",
      "L 1 2 3 4",
      "LN",
      "LN 3",
      "WN 3",
      "WN 3 R",
      "WN 3 C 1",
      "WN x L 1 2",
      "DO",
      "DO a",
      "DO 0x1",
      "DO nan",
      "GLU",
      "R 1",
      "SAUG 1 2 3 4 5",
      "TR 1 2 3 4",
      "L one 2",
      "L 1 2,",
      "",
      "R\nR",
      "RES 1",
      "RES 2 0\nR",
      "RES 1 0\nL 1",
      "RES 0 1\nSKIP 0",
      "RES 0 1\nSKIPL 0 2 1",
  };
  std::vector<Malformed> cases;
  for (const char* line : bad) {
    cases.push_back(in_section(line, Reason::bad_metadata, "layers", 16, "layers[0].arch",
                               [&](Bw2lBuilder& b) { b.set_layers({{line}}); }));
  }
  // 21: the number of arrays.
  const std::pair<const char*, size_t> wrong[] = {
      {"R", 1},
      {"C 1 2 3 1", 1},
      {"TDS 1 2 3", 9},
      {"L 1 2", 3},
      {"BN 8 0", 3},
      {"LN 1 2", 1},
      {"WN 0 L 8 9", 1},
      {"TR 8 8 2 0 0.1", 11},
      {"CTR 8 8 2 1 3 0.1", 28},
      {"RES 1 0 2\nC 1 2 3 1", 2},
  };
  for (const auto& [line, count] : wrong) {
    cases.push_back(in_section(line, Reason::size_mismatch, "layers",
                               16 + std::string_view(line).size() + 12, "layers[0].param_count",
                               [&](Bw2lBuilder& b) { b.set_layers({{line, fp32(count)}}); }));
  }
  // 23: how many elements an array has.
  const std::pair<const char*, std::vector<std::pair<std::string, uint64_t>>> sizes[] = {
      {"L 8 9", sized({71})},         {"C 2 3 4 1", sized({23, 3})},
      {"AC 2 3 4 1", sized({25, 3})}, {"C2 2 3 4 5 1 1", sized({119, 3})},
      {"E 8 9", sized({73})},         {"POSEMB 8 9", sized({17})},
      {"WN 0 L 8 9", sized({71, 9})},
  };
  for (const auto& [line, arrays] : sizes) {
    cases.push_back(in_section(
        line, Reason::size_mismatch, "layers", 16 + std::string_view(line).size() + 20 + 5,
        "layers[0].arrays[0].count", [&](Bw2lBuilder& b) { b.set_layers({{line, arrays}}); }));
  }
  expect_refused(cases);
}

SUSURRUS_TEST(bw2l_malformed_structure) {
  Bw2lBuilder b;
  const Bytes good = b.build();
  const Code bad = Code::malformed;
  const uint64_t far = uint64_t{1} << 60;
  const uint64_t flags_at = b.section_at["flags"];
  const uint64_t spm_length = b.data_at["spm"] - 8;
  const uint64_t notes_at = b.section_at["notes"];
  std::vector<Malformed> cases = {
      {"1 nothing", Code::truncated_input, Reason::truncated, 0, "header", {}},
      {"1 no version", Code::truncated_input, Reason::truncated, 4, "header", cut(good, 4)},
      {"1 no name", Code::truncated_input, Reason::truncated, 5, "header", cut(good, 5)},
      {"1 half a section count", Code::truncated_input, Reason::truncated, b.section_count_at + 4,
       "section_count", cut(good, b.section_count_at + 4)},
      {"2 case", Code::unknown_format, Reason::not_a_model, 0, "magic", with(good, 3, 'l')},
      {"2 order", Code::unknown_format, Reason::not_a_model, 0, "magic",
       with(good, 0, uint32_t{0x42573221})},
      {"3 version 0", Code::unsupported_version, Reason::version, 4, "version",
       with(good, 4, uint8_t{0})},
      {"3 version 2", Code::unsupported_version, Reason::version, 4, "version",
       with(good, 4, uint8_t{2})},
      {"4 name past the end", bad, Reason::bounds, 5, "name", with(cut(good, 20), 5, uint8_t{200})},
      {"5 2^63 sections", bad, Reason::bounds, b.section_count_at, "section_count",
       with(good, b.section_count_at, uint64_t{1} << 63)},
      {"5 more sections than fit", bad, Reason::bounds, b.section_count_at, "section_count",
       with(good, b.section_count_at, uint64_t{good.size() / 18})},
      {"6 name past the end", bad, Reason::bounds, notes_at, "sections[6].name",
       with(good, notes_at, uint8_t{255})},
      {"6 type past the end", bad, Reason::bounds, notes_at + 6, "sections[6].type",
       with(good, notes_at + 6, uint8_t{255})},
      {"6 description past the end", bad, Reason::bounds, flags_at + 13, "sections[0].description",
       with(good, flags_at + 13, uint64_t{good.size()})},
      {"6 description wraps", bad, Reason::bounds, flags_at + 13, "sections[0].description",
       with(good, flags_at + 13, ~uint64_t{0})},
      {"7 data past the end", bad, Reason::bounds, b.data_at["notes"] - 8,
       "sections[6].data_length", with(good, b.data_at["notes"] - 8, uint64_t{5})},
      {"7 data wraps", bad, Reason::bounds, spm_length, "sections[5].data_length",
       with(good, spm_length, ~uint64_t{0})},
      {"7 data beyond any", bad, Reason::bounds, spm_length, "sections[5].data_length",
       with(good, spm_length, far)},
  };
  for (const char* name : {"arch", "tokens", "flags", "config", "layers"}) {
    cases.push_back({"10 another type", bad, Reason::bad_metadata,
                     b.section_at[name] + 1 + std::string_view(name).size(), name,
                     edited([=](Bw2lBuilder& builder) { builder[name].type = "data"; })});
  }
  expect_refused(cases);
}

SUSURRUS_TEST(bw2l_malformed_contents) {
  std::vector<Malformed> cases;
  const auto pairs = [&](const char* name, uint64_t at, const char* subject, Bytes data) {
    cases.push_back(in_section(name, Reason::bounds, "config", at, subject,
                               [&](Bw2lBuilder& b) { b["config"].data = data; }));
  };
  pairs("12 a key past the end", 0, "config[0].key", {5, 'a'});
  pairs("12 no value", 2, "config[0].value", {1, 'a'});
  pairs("12 half a length", 2, "config[0].value", {1, 'a', 0, 0, 0, 0, 0, 0, 0});
  pairs("12 a value past the end", 2, "config[0].value", {1, 'a', 2, 0, 0, 0, 0, 0, 0, 0, 'b'});
  pairs("12 a second key past the end", 11, "config[1].key",
        {1, 'a', 1, 0, 0, 0, 0, 0, 0, 0, 'b', 1});
  for (const char* type : {"fp8", "FP32", ""}) {
    cases.push_back(in_section("13 in a layer", Reason::unsupported_dtype, "layers", 16 + 5 + 20,
                               "layers[0].arrays[0].type", [&](Bw2lBuilder& b) {
                                 b.set_layers({{"L 1 2", {{type, 12}, {"i8", 1}}}});
                               }));
    cases.push_back(in_section("13 in an array", Reason::unsupported_dtype, "transitions", 0,
                               "transitions.type", [&](Bw2lBuilder& b) {
                                 b["transitions"].type = "array";
                                 append_array(b["transitions"].data, type, 12, 1);
                               }));
  }
  const auto array_of = [](uint64_t count) {
    return [=](Bw2lBuilder& b) {
      b["transitions"].type = "array";
      append_array(b["transitions"].data, "fp32", 4, 4);
      store_le(b["transitions"].data.data() + 5, count);
    };
  };
  for (const uint64_t count : {uint64_t{5}, uint64_t{1} << 62, ~uint64_t{0}}) {
    cases.push_back(in_section("14 count", Reason::bounds, "transitions", 5, "transitions.count",
                               array_of(count)));
  }
  cases.push_back(in_section("14 too few", Reason::trailing_data, "transitions", 25, "transitions",
                             array_of(3)));
  cases.push_back(in_section("14 no count", Reason::bounds, "transitions", 3, "transitions.count",
                             [](Bw2lBuilder& b) {
                               b["transitions"].type = "array";
                               b["transitions"].data = {2, 'i', '8', 1};
                             }));
  cases.push_back(in_section("14 nothing", Reason::bounds, "transitions", 0, "transitions.type",
                             [](Bw2lBuilder& b) { b["transitions"].type = "array"; }));
  for (const uint64_t count : {uint64_t{100}, ~uint64_t{0}}) {
    cases.push_back(in_section("15 layer_count", Reason::bounds, "layers", 0, "layers.layer_count",
                               [=](Bw2lBuilder& b) { store_le(b["layers"].data.data(), count); }));
  }
  cases.push_back(in_section("15 no layer_count", Reason::bounds, "layers", 0, "layers.layer_count",
                             [](Bw2lBuilder& b) { b["layers"].data = {1, 0}; }));
  cases.push_back(
      in_section("15 arch past the end", Reason::bounds, "layers", 8, "layers[0].arch",
                 [](Bw2lBuilder& b) { store_le(b["layers"].data.data() + 8, uint64_t{1} << 50); }));
  cases.push_back(in_section(
      "15 param_count", Reason::bounds, "layers", 16 + 14 + 12, "layers[0].param_count",
      [](Bw2lBuilder& b) { store_le(b["layers"].data.data() + 16 + 14 + 12, uint64_t{1} << 50); }));
  const size_t layers_size = Bw2lBuilder()["layers"].data.size();
  cases.push_back(in_section("16 bytes left", Reason::trailing_data, "layers", layers_size,
                             "layers", [](Bw2lBuilder& b) { b["layers"].data.push_back(0); }));
  for (const float scale :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    cases.push_back(in_section("17 scale", Reason::bad_scale, "layers", 17, "layers[0].scale",
                               [=](Bw2lBuilder& b) { b.set_layers({{"R", {}, scale}}); }));
  }
  cases.push_back(in_section(
      "17 scale 0", Reason::bad_scale, "layers", 21, "layers[0].scale",
      [](Bw2lBuilder& b) { b.set_layers({{"L 1 2", {{"fp32", 2}, {"i16", 2}}, 0.0f}}); }));
  cases.push_back(in_section("18 arch", Reason::bad_metadata, "arch", 2, "arch",
                             [](Bw2lBuilder& b) { b.set_text("arch", "R\n\xC3"); }));
  cases.push_back(in_section("18 tokens", Reason::bad_vocabulary, "tokens", 1, "tokens",
                             [](Bw2lBuilder& b) { b.set_text("tokens", "a\xFF"); }));
  cases.push_back(in_section("18 a layer's line", Reason::bad_metadata, "layers", 17,
                             "layers[0].arch", [](Bw2lBuilder& b) { b.set_layers({{"R\xFF"}}); }));
  cases.push_back(in_section("19 too few lines", Reason::contradiction, "layers", 0,
                             "layers.layer_count",
                             [](Bw2lBuilder& b) { b.set_text("arch", "R"); }));
  cases.push_back(in_section("19 a block's lines missing", Reason::bad_metadata, "arch", 0, "arch",
                             [](Bw2lBuilder& b) { b.set_text("arch", "RES 5 0\nR"); }));
  cases.push_back(in_section("28 twice", Reason::bad_vocabulary, "tokens", 6, "tokens",
                             [](Bw2lBuilder& b) { b.set_text("tokens", "a b\nc a\nb"); }));
  cases.push_back(in_section("28 none", Reason::bad_vocabulary, "tokens", 0, "tokens",
                             [](Bw2lBuilder& b) { b.set_text("tokens", " \n\r\n"); }));
  const uint64_t value_at = 1 + 9 + 8;
  cases.push_back(
      in_section("29 criterion", Reason::unsupported, "config", value_at, "config.criterion",
                 [](Bw2lBuilder& b) { b.set_pairs("config", {{"criterion", "CTC"}}); }));
  cases.push_back(in_section("29 criterion of the flags", Reason::unsupported, "flags", value_at,
                             "flags.criterion", [](Bw2lBuilder& b) {
                               b.remove("config");
                               b.set_pairs("flags", {{"criterion", "rnnt"}});
                             }));
  const auto asg = [](uint64_t count) {
    return [=](Bw2lBuilder& b) {
      b.set_pairs("config", {{"criterion", "asg"}});
      if (count == 0) return;
      b["transitions"].type = "array";
      append_array(b["transitions"].data, "fp32", count, 4);
    };
  };
  Bw2lBuilder plain;
  plain.build();
  cases.push_back({"30 no transitions", Code::malformed, Reason::model, plain.section_count_at,
                   "transitions", edited(asg(0))});
  for (const uint64_t count : {uint64_t{15}, uint64_t{25}}) {
    cases.push_back(in_section("30 not of these tokens", Reason::size_mismatch, "transitions", 5,
                               "transitions", asg(count)));
  }
  cases.push_back(in_section(
      "31 two features", Reason::contradiction, "flags", 1 + 4 + 8 + 4 + 1 + 4 + 8, "flags.mfcc",
      [](Bw2lBuilder& b) { b.set_pairs("flags", {{"mfsc", "true"}, {"mfcc", "Y"}}); }));
  cases.push_back(
      in_section("31 unknown feature", Reason::unsupported, "config", 1 + 7 + 8, "config.feature",
                 [](Bw2lBuilder& b) { b.set_pairs("config", {{"feature", "fbank"}}); }));
  for (const char* flag : {"samplerate", "framesizems", "framestridems", "filterbanks"}) {
    for (const char* value : {"0", "-1", "many", "nan", "1e99"}) {
      cases.push_back(in_section("32", Reason::bad_metadata, "flags",
                                 1 + std::string_view(flag).size() + 8,
                                 "flags." + std::string(flag),
                                 [=](Bw2lBuilder& b) { b.set_pairs("flags", {{flag, value}}); }));
    }
  }
  expect_refused(cases);
}

SUSURRUS_TEST(bw2l_counts_beyond_the_limits) {
  // As many sections, layers, arrays or pairs as fit, in a file that is small for their number.
  const auto expect_limit = [](const Bytes& file, std::string_view subject) {
    Bw2lReader reader;
    const Status status = read_whole(reader, file);
    if (!EXPECT_FALSE(status.has_value())) return;
    EXPECT_EQ(error_code_name(status.error().code), "limit_exceeded");
    EXPECT_EQ(status.error().subject.view(), subject);
  };
  expect_limit(edited([](Bw2lBuilder& b) {
                 for (int i = 0; i < 17000; ++i) b.sections.push_back({"", "", {}});
               }),
               "section_count");
  expect_limit(edited([](Bw2lBuilder& b) { b.set_layers(std::vector<BuiltLayer>(17000, {"R"})); }),
               "layers");
  expect_limit(edited([](Bw2lBuilder& b) {
                 b["more"].type = "layers";
                 b["more"].data = layers_data(
                     {{"", std::vector<std::pair<std::string, uint64_t>>(33000, {"i8", 0})}});
               }),
               "more");
  expect_limit(edited([](Bw2lBuilder& b) { b.set_pairs("flags", BuiltPairs(70000, {"", ""})); }),
               "flags");
  // Counted over the whole file: few in each section, too many in all.
  expect_limit(edited([](Bw2lBuilder& b) {
                 for (int i = 0; i < 60; ++i) {
                   b.sections.push_back({"more", "keyval", pairs_data(BuiltPairs(1111, {"", ""}))});
                 }
               }),
               "more");
  expect_limit(edited([](Bw2lBuilder& b) { b.set_text("tokens", std::string(17 << 20, 'a')); }),
               "sections[3].data_length");
}

SUSURRUS_TEST(bw2l_any_flipped_byte_is_read_or_refused) {
  const Bytes good = Bw2lBuilder().build();
  for (size_t at = 0; at < good.size(); ++at) {
    for (const uint8_t change : {0x01, 0x80, 0xFF}) {
      Bytes file = good;
      file[at] ^= change;
      Bw2lReader whole;
      Bw2lReader pieces;
      const Status one = read_whole(whole, file);
      const Status other = read(pieces, file, true, [] { return size_t{5}; });
      ASSERT_EQ(one.has_value(), other.has_value());
      if (!one) {
        EXPECT_EQ(one.error().subject.view(), other.error().subject.view());
        EXPECT_EQ(one.error().offset, other.error().offset);
      }
    }
  }
}

SUSURRUS_TEST(bw2l_every_cut_is_refused) {
  const Bytes good = Bw2lBuilder().build();
  for (size_t size = 0; size < good.size(); ++size) {
    for (const bool tell_length : {true, false}) {
      Bw2lReader reader;
      EXPECT_FALSE(
          read(reader, cut(good, size), tell_length, [] { return size_t{64}; }).has_value());
    }
  }
}

}  // namespace susurrus::testing::bw2l_reader_test
