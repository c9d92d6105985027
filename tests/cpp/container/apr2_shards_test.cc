// Models in shards (apr.md §5): what is read, and every way in which manifest and shards can contradict each other.
#include "container/recording_sink.h"
#include "container/shards_builder.h"
#include "families/whisper/whisper_family.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::apr2_shards_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

Sharded good() {
  const Apr2Builder whole = whisper_builder();
  Sharded model;
  const size_t third = whole.tensors.size() / 3 + 1;
  for (size_t i = 0; i < 3; ++i) {
    Apr2Builder shard = whole;
    shard.flags |= 0x08;
    const auto begin = whole.tensors.begin();
    shard.tensors.assign(begin + i * third,
                         begin + std::min((i + 1) * third, whole.tensors.size()));
    if (i > 0) shard.metadata.replace(shard.metadata.find("\"vocab\""), 7, "\"no_vocab\"");
    model.shards.push_back(shard);
  }
  model.build_files();
  model.write_manifest();
  return model;
}

Status push_all(DetectingReader& reader, const Bytes& file, bool tells_length, size_t chunk_size) {
  if (tells_length) reader.set_file_byte_count(file.size());
  for (size_t at = 0; at < file.size(); at += chunk_size) {
    const Bytes chunk(file.begin() + at,
                      file.begin() + at + std::min(chunk_size, file.size() - at));
    SUSURRUS_RETURN_IF_ERROR(reader.push(chunk));
  }
  return reader.finish();
}

Status read_sharded(ModelSink& sink, const Sharded& model, size_t chunk_size = 1 << 20) {
  DetectingReader reader(sink);
  SUSURRUS_RETURN_IF_ERROR(push_all(reader, Bytes(model.manifest.begin(), model.manifest.end()),
                                    model.tells_length, chunk_size));
  for (size_t i = 0; !reader.missing_files().empty(); ++i) {
    const PartFile next = reader.missing_files()[0];
    EXPECT_EQ(next.name, shard_name(i));
    SUSURRUS_RETURN_IF_ERROR(push_all(reader, model.files[i], model.tells_length, chunk_size));
  }
  return ok_status();
}

/// The good model with `edit` applied is rejected with this error, however its bytes arrive.
template <typename Edit>
void expect_refused(const char* name, Edit&& edit, Code code, Reason reason, uint64_t offset,
                    std::string_view subject) {
  Sharded model = good();
  edit(model);
  for (const bool tells_length : {true, false}) {
    for (const size_t chunk_size : {size_t{1}, size_t{61}, size_t{1} << 20}) {
      model.tells_length = tells_length;
      RecordingSink sink;
      const Status status = read_sharded(sink, model, chunk_size);
      if (status) {
        report_failure(__FILE__, __LINE__, std::string(name) + ": accepted");
        return;
      }
      const Error& error = status.error();
      if (error.code != code || error.reason != reason || error.offset != offset ||
          error.subject.view() != subject) {
        report_failure(__FILE__, __LINE__,
                       std::string(name) + ": " + std::string(error_code_name(error.code)) + "/" +
                           std::string(error_reason_name(error.reason)) + " at " +
                           std::to_string(error.offset) + " about " +
                           std::string(error.subject.view()) + ", got " +
                           std::string(error.got.view()));
        return;
      }
    }
  }
}

template <typename Edit>
void expect_bad_manifest(const char* name, std::string_view subject, Edit&& edit) {
  expect_refused(name, edit, Code::malformed, Reason::manifest, 0, subject);
}

}  // namespace

SUSURRUS_TEST(shards_are_read_like_the_whole_file) {
  RecordingSink whole;
  ASSERT_TRUE(read_file(whole, whisper_builder().build()).has_value());
  for (const size_t chunk_size : {size_t{1}, size_t{64}, size_t{1000}, size_t{1} << 20}) {
    RecordingSink sink;
    ASSERT_TRUE(read_sharded(sink, good(), chunk_size).has_value());
    EXPECT_EQ(sink.manifests, 3);
    EXPECT_EQ(sink.warnings.size(), 0u);
    EXPECT_TRUE(sink.tensors == whole.tensors);
    EXPECT_TRUE(sink.completed == whole.completed);
  }
}

SUSURRUS_TEST(shards_are_checked_as_one_model) {
  WeightStore whole(whisper_alone());
  ASSERT_TRUE(read_file(whole, whisper_builder().build()).has_value());
  WeightStore store(whisper_alone());
  ASSERT_TRUE(read_sharded(store, good()).has_value());
  EXPECT_EQ(store.weight_byte_count(), whole.weight_byte_count());
  EXPECT_TRUE(store.metadata().vocabulary.token_count() > 0);
  const TensorView* last = store.find("decoder.ln.bias");
  ASSERT_TRUE(last != nullptr && last->data != nullptr);

  Sharded model = good();
  model.shards[1].tensors.erase(model.shards[1].tensors.begin());
  const std::string missing = good().shards[1].tensors[0].name;
  model.build_files();
  model.write_manifest();
  WeightStore incomplete(whisper_alone());
  const Error error = read_sharded(incomplete, model).error();
  EXPECT_EQ(error.code, Code::missing_tensor);
  EXPECT_EQ(error.subject.view(), missing);

  // One tensor under two names, in two shards.
  model = good();
  BuiltTensor twin = model.shards[0].tensors[0];
  twin.name = "model." + twin.name;
  model.shards[2].tensors.push_back(twin);
  model.build_files();
  model.write_manifest();
  WeightStore doubled(whisper_alone());
  EXPECT_EQ(read_sharded(doubled, model).error().reason, Reason::duplicate);
}

SUSURRUS_TEST(later_shards_add_to_the_first_one_and_do_not_contradict_it) {
  const std::string second(shard_name(1));
  const auto with_vocabulary = [](Sharded& model, size_t shard) {
    std::string& metadata = model.shards[shard].metadata;
    metadata.replace(metadata.find("\"no_vocab\""), 10, "\"vocab\"");
  };
  const auto build = [](Sharded& model) {
    model.build_files();
    model.write_manifest();
  };
  // What the first one says may be said again.
  Sharded model = good();
  with_vocabulary(model, 1);
  build(model);
  WeightStore store(whisper_alone());
  ASSERT_TRUE(read_sharded(store, model).has_value());
  EXPECT_TRUE(store.metadata().vocabulary.token_count() > 0);

  const auto expect_added = [&](const char* name, const char* subject, auto edit) {
    expect_refused(
        name, [&](Sharded& edited) { edit(edited), build(edited); }, Code::malformed,
        Reason::manifest, 0, second + ": " + subject);
  };
  // What the first one does not say counts for all.
  Sharded later = good();
  later.shards[1].metadata.insert(1, R"("alignment_heads":[[0,0]],)");
  build(later);
  WeightStore completed(whisper_alone());
  ASSERT_TRUE(read_sharded(completed, later).has_value());
  EXPECT_EQ(completed.metadata().whisper()->alignment_heads.size(), 1u);

  expect_added("other alignment heads", "alignment_heads", [](Sharded& edited) {
    edited.shards[0].metadata.insert(1, R"("alignment_heads":[[0,0]],)");
    edited.shards[1].metadata.insert(1, R"("alignment_heads":[[0,1]],)");
  });
}

SUSURRUS_TEST(shards_with_something_noteworthy_are_read_with_a_warning) {
  const auto warnings = [](auto edit) {
    Sharded model = good();
    edit(model);
    RecordingSink sink;
    const Status status = read_sharded(sink, model);
    EXPECT_TRUE(status.has_value());
    return sink.warnings;
  };
  std::vector<std::string> found = warnings([](Sharded& m) {
    m.shards[1].flags &= ~0x08u;
    m.build_files();
    m.write_manifest();
  });
  ASSERT_TRUE(found.size() == 1);
  EXPECT_EQ(found[0], shard_name(1) + ": the flag SHARDED is missing");

  // A shard's own checksum, upper case, and 0x.
  found = warnings([](Sharded& m) {
    std::string text = footer_crc_text(m.files[0]);
    for (char& c : text) c = static_cast<char>(std::toupper(c));
    m.replace(crc_text(m.files[0]), "0x" + text);
  });
  EXPECT_EQ(found.size(), 0u);

  // aprender's form (apr.md §5).
  found = warnings([](Sharded& m) {
    m.replace("\"tensor_shard_map\"", "\"weight_map\"");
    m.replace("\"sharded\":true", "\"version\":\"1.0\"");
    for (size_t i = 0; i < 3; ++i) {
      m.replace("\"file\"", "\"filename\"");
      m.replace(",\"crc32\":\"" + crc_text(m.files[i]) + "\"", ",\"index\":" + std::to_string(i));
      m.replace(",\"footer_crc32\":\"" + footer_crc_text(m.files[i]) + "\"", "");
    }
  });
  ASSERT_TRUE(found.size() == 1);
  EXPECT_EQ(found[0], "an aprender manifest, which has no checksums");
}

SUSURRUS_TEST(malformed_manifests) {
  const auto count = [](std::string text) {
    return [text](Sharded& m) { m.replace("\"shard_count\":3", "\"shard_count\":" + text); };
  };
  expect_bad_manifest("70 another number", "shard_count", count("4"));
  expect_bad_manifest("70 none", "shard_count", count("0"));
  expect_bad_manifest("70 too many", "shard_count", count("100000"));
  expect_bad_manifest("70 text", "shard_count", count("\"3\""));
  expect_bad_manifest("70 an empty list", "shard_count", [](Sharded& m) {
    m.manifest =
        R"({"apr_version":"2.0","sharded":true,"shard_count":0,"shards":[],"tensor_shard_map":{}})";
  });
  for (const char* key : {"apr_version", "sharded", "shard_count", "tensor_shard_map"}) {
    expect_bad_manifest("70 a key missing", key,
                        [key](Sharded& m) { m.replace("\"" + std::string(key) + "\"", "\"x\""); });
    expect_bad_manifest("70 a key twice", key, [key](Sharded& m) {
      m.replace("{\"apr", "{\"" + std::string(key) + "\":1,\"apr");
    });
  }
  expect_bad_manifest("70 not sharded", "sharded",
                      [](Sharded& m) { m.replace("\"sharded\":true", "\"sharded\":false"); });
  expect_bad_manifest("70 shards no list", "shards", [](Sharded& m) {
    m.manifest =
        R"({"apr_version":"2.0","sharded":true,"shard_count":1,"shards":{},"tensor_shard_map":{}})";
  });
  expect_refused(
      "70 another version", [](Sharded& m) { m.replace("2.0.0", "3.0.0"); },
      Code::unsupported_version, Reason::version, 0, "apr_version");

  for (const char* name : {"../model.apr", "sub/model.apr", "a\\\\b.apr", "..", "http:x", "C:x",
                           "a\\u0000b", "", "a\\nb"}) {
    expect_bad_manifest("71 no bare name", "shards[1].file",
                        [name](Sharded& m) { m.replace(shard_name(1), name); });
  }
  expect_bad_manifest("71 a file twice", "shards",
                      [](Sharded& m) { m.replace(shard_name(1), shard_name(0)); });
  for (const char* place : {"3", "-1", "0.5", "\"0\"", "null"}) {
    expect_bad_manifest("72 no shard", "encoder.conv1.weight", [place](Sharded& m) {
      m.replace("\"encoder.conv1.weight\":0", "\"encoder.conv1.weight\":" + std::string(place));
    });
  }
  expect_bad_manifest("73 no checksum", "shards[2].crc32",
                      [](Sharded& m) { m.replace(crc_text(m.files[2]), "xyz"); });
  expect_bad_manifest("73 no checksum of the footer", "shards[2].footer_crc32", [](Sharded& m) {
    m.replace("\"footer_crc32\":\"" + footer_crc_text(m.files[2]) + "\"", "\"footer_crc32\":1");
  });
  expect_bad_manifest("73 no size", "shards[0].size", [](Sharded& m) {
    m.replace("\"size\":" + std::to_string(m.files[0].size()), "\"size\":\"large\"");
  });
  expect_bad_manifest("73 a size that no file has", "shards[0].size", [](Sharded& m) {
    m.replace("\"size\":" + std::to_string(m.files[0].size()), "\"size\":57");
  });
  expect_bad_manifest("74 a tensor in two shards", "encoder.conv1.weight", [](Sharded& m) {
    m.replace("\"encoder.conv1.weight\":0",
              "\"encoder.conv1.weight\":0,\"encoder.conv1.weight\":1");
  });
}

SUSURRUS_TEST(broken_manifests) {
  Sharded model = good();
  for (const size_t size : {model.manifest.size() / 2, model.manifest.size() - 1}) {
    Sharded cut = model;
    cut.manifest.resize(size);
    RecordingSink sink;
    const Error error = read_sharded(sink, cut).error();
    EXPECT_EQ(error.code, Code::malformed);
    EXPECT_EQ(error.reason, Reason::manifest);
    EXPECT_EQ(error.subject.view(), "manifest");
    EXPECT_EQ(error.offset, size);
  }
}

SUSURRUS_TEST(shards_that_contradict_the_manifest) {
  const auto named = [](size_t shard, const char* what) { return shard_name(shard) + ": " + what; };
  const auto bad = [](const char* name, const std::string& subject, auto edit) {
    expect_refused(name, edit, Code::malformed, Reason::manifest, 0, subject);
  };
  bad("73 cut", named(1, "size"), [](Sharded& m) { m.files[1].pop_back(); });
  bad("73 longer", named(1, "size"), [](Sharded& m) { m.files[1].push_back(0); });
  bad("73 another checksum", named(2, "crc32"),
      [](Sharded& m) { m.replace(crc_text(m.files[2]), "01234567"); });
  // Whole in itself and of the same size, but not the file that the manifest describes.
  bad("73 another model's shard", named(2, "footer_crc32"), [](Sharded& m) {
    m.shards[2].tensors[0].stored[0] ^= 1;
    m.build_files();
  });
  expect_refused(
      "73 damaged", [](Sharded& m) { m.files[1][m.files[1].size() - 20] ^= 1; },
      Code::checksum_mismatch, Reason::checksum, good().files[1].size() - 16, named(1, "crc32"));
  bad("74 swapped", named(0, "tensors"), [](Sharded& m) { std::swap(m.files[0], m.files[1]); });
  bad("74 a copy", named(1, "tensors"), [](Sharded& m) { m.files[1] = m.files[0]; });
  bad("74 absent from the map", named(1, "extra"), [](Sharded& m) {
    BuiltTensor extra = m.shards[1].tensors[0];
    extra.name = "extra";
    m.shards[1].tensors.push_back(extra);
    m.build_files();
  });
  const std::string first = good().shards[0].tensors[0].name;
  bad("74 overlapping", named(1, first.c_str()), [](Sharded& m) {
    m.shards[1].tensors.push_back(m.shards[0].tensors[0]);
    m.build_files();
  });
  const std::string lost = good().shards[1].tensors.back().name;
  bad("74 absent from its shard", named(1, lost.c_str()), [](Sharded& m) {
    m.shards[1].tensors.pop_back();
    m.build_files();
  });
  bad("75 another architecture", named(1, "architecture"), [](Sharded& m) {
    std::string& text = m.shards[1].metadata;
    const size_t at = text.find("\"n_audio_ctx\":");
    text.replace(at, 14, "\"n_audio_ctx\":1");
    m.build_files();
  });
  bad("75 another version", named(2, "architecture"), [](Sharded& m) {
    m.shards[2].version_minor = 1;
    m.build_files();
  });
  bad("75 a manifest", shard_name(0), [](Sharded& m) {
    m.files[0].assign(m.manifest.begin(), m.manifest.end());
    m.replace("\"size\":" + std::to_string(good().files[0].size()),
              "\"size\":" + std::to_string(m.files[0].size()));
  });
  expect_refused(
      "3 the version of a shard",
      [](Sharded& m) {
        m.shards[1].version_major = 3;
        m.build_files();
      },
      Code::unsupported_version, Reason::version, 4, named(1, "version_major"));
}

SUSURRUS_TEST(swapped_and_doubled_shards_are_told_apart) {
  Sharded swapped = good();
  std::swap(swapped.files[0], swapped.files[1]);
  RecordingSink sink;
  EXPECT_EQ(read_sharded(sink, swapped).error().got.view(), "those of " + shard_name(1));
  Sharded doubled = good();
  doubled.files[1] = doubled.files[0];
  RecordingSink again;
  EXPECT_EQ(read_sharded(again, doubled).error().got.view(), "a second copy of " + shard_name(0));
}

}  // namespace susurrus::testing::apr2_shards_test
