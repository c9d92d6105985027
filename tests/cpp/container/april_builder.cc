#include "container/april_builder.h"

namespace susurrus::testing {

AprilBuilder::AprilBuilder() {
  networks[0].inputs = {{"x", {1, 9, 80}}, {"h", {2, 1, 8}}, {"c", {2, 1, 16}}};
  networks[0].outputs = {{"encoder_out", {1, 1, 8}}, {"next_h", {2, 1, 8}}, {"next_c", {2, 1, 16}}};
  networks[1].inputs = {{"context", {1, 2}, 7}};
  networks[1].outputs = {{"decoder_out", {1, 1, 8}}};
  networks[2].inputs = {{"encoder_out", {1, 1, 8}}, {"decoder_out", {1, 1, 8}}};
  networks[2].outputs = {{"logits", {1, 1, 4}}};
}

Bytes AprilBuilder::build() {
  for (size_t i = 0; i < 3; ++i) {
    parts[i] = network_bytes[i] ? *network_bytes[i] : networks[i].build();
  }
  Bytes& table = parts[3];
  table.clear();
  append_text(table, std::string_view("PARAMS\0\0", 8));
  for (const int32_t number : params) append_number(table, number);
  for (const std::string& token : tokens) {
    append_number(table, static_cast<int32_t>(token.size()));
    append_text(table, token);
  }
  if (edit_params) edit_params(table);
  table.insert(table.end(), params_slack.begin(), params_slack.end());

  const uint64_t header_size =
      8 + 8 + name.size() + 8 + description.size() + 4 + 16 + 8 + 48 + header_slack.size();
  uint64_t end = 20 + header_size;
  for (const int part : order) {
    part_at[part] = end + gap.size();
    end = part_at[part] + parts[part].size();
  }
  Bytes file;
  append_text(file, "APRILMDL");
  append_number(file, version);
  append_number(file, header_size);
  std::string tag = language;
  tag.resize(8);
  append_text(file, tag);
  name_length_at = file.size();
  append_number(file, uint64_t{name.size()});
  append_text(file, name);
  description_length_at = file.size();
  append_number(file, uint64_t{description.size()});
  append_text(file, description);
  model_type_at = file.size();
  append_number(file, model_type);
  params_entry_at = file.size();
  append_number(file, part_at[3]);
  append_number(file, uint64_t{table.size()});
  network_count_at = file.size();
  append_number(file, network_count.value_or(3));
  network_entries_at = file.size();
  for (size_t i = 0; i < 3; ++i) {
    append_number(file, part_at[i]);
    append_number(file, uint64_t{parts[i].size()});
  }
  file.insert(file.end(), header_slack.begin(), header_slack.end());
  for (const int part : order) {
    file.insert(file.end(), gap.begin(), gap.end());
    file.insert(file.end(), parts[part].begin(), parts[part].end());
  }
  file.insert(file.end(), behind.begin(), behind.end());
  return file;
}

}  // namespace susurrus::testing
