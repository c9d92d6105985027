#include "families/transducer/transducer_loader.h"

namespace susurrus {

Status TransducerLoader::on_network_bytes(size_t index, ByteSpan bytes) {
  const ByteRange range = reader_.model().network_ranges[index];
  if (!networks_[index]) {
    networks_[index].emplace(kAprilNetworkNames[index].data(), range.offset, range.byte_count,
                             weights_);
  }
  Status status = networks_[index]->push(bytes);
  if (!status) return in_network(static_cast<AprilNetwork>(index), status.error());
  return ok_status();
}

Result<std::unique_ptr<TransducerModel>> TransducerLoader::finish() {
  SUSURRUS_RETURN_IF_ERROR(reader_.finish());
  std::array<Graph, kAprilNetworks> graphs;
  // An unknown type has no networks; the model reports that.
  for (size_t i = 0; i < kAprilNetworks && networks_[i]; ++i) {
    auto graph = networks_[i]->finish();
    if (!graph) return in_network(static_cast<AprilNetwork>(i), graph.error());
    graphs[i] = std::move(*graph);
    networks_[i].reset();
  }
  return TransducerModel::make(reader_.model(), std::move(graphs));
}

}  // namespace susurrus
