#include "whisper/random_model.h"

#include <cmath>
#include <cstring>

#include "families/whisper/whisper_family.h"
#include "families/whisper/whisper_tensors.h"

namespace susurrus::testing {
namespace {

VocabularyBytes small_vocabulary(bool is_multilingual) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  tokens.insert(tokens.end(), {" one", " two", "<|endoftext|>", "<|startoftranscript|>", "<|en|>"});
  if (is_multilingual) tokens.emplace_back("<|de|>");
  for (const char* name : {"translate", "transcribe", "startoflm", "startofprev", "nospeech",
                           "notimestamps", "0.00"}) {
    tokens.push_back("<|" + std::string(name) + "|>");
  }
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> ends;
  for (const std::string& token : tokens) {
    bytes.insert(bytes.end(), token.begin(), token.end());
    ends.push_back(static_cast<uint32_t>(bytes.size()));
  }
  return VocabularyBytes(std::move(bytes), std::move(ends));
}

using Values = std::vector<double>;

Values layer_norm(const RandomModel& model, const std::string& name, const Values& x,
                  size_t width) {
  const Values& gamma = model.values.at(name + ".weight");
  const Values& beta = model.values.at(name + ".bias");
  Values y(x.size());
  for (size_t r = 0; r < x.size() / width; ++r) {
    double mean = 0;
    double variance = 0;
    for (size_t i = 0; i < width; ++i) mean += x[r * width + i] / static_cast<double>(width);
    for (size_t i = 0; i < width; ++i) {
      variance += std::pow(x[r * width + i] - mean, 2) / static_cast<double>(width);
    }
    for (size_t i = 0; i < width; ++i) {
      y[r * width + i] =
          (x[r * width + i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
    }
  }
  return y;
}

Values linear(const RandomModel& model, const std::string& name, const Values& x, size_t in) {
  const Values& weight = model.values.at(name + ".weight");
  auto bias = model.values.find(name + ".bias");
  const size_t out = weight.size() / in;
  Values y(x.size() / in * out);
  for (size_t r = 0; r < x.size() / in; ++r) {
    for (size_t n = 0; n < out; ++n) {
      double sum = bias == model.values.end() ? 0 : bias->second[n];
      for (size_t k = 0; k < in; ++k) sum += x[r * in + k] * weight[n * in + k];
      y[r * out + n] = sum;
    }
  }
  return y;
}

/// Kernel 3, padding 1, GELU; time-major.
Values convolution(const RandomModel& model, const std::string& name, const Values& x, size_t in,
                   size_t stride) {
  const Values& weight = model.values.at(name + ".weight");
  const Values& bias = model.values.at(name + ".bias");
  const size_t out = bias.size();
  const size_t frames = x.size() / in;
  Values y(frames / stride * out);
  for (size_t t = 0; t < frames / stride; ++t) {
    for (size_t o = 0; o < out; ++o) {
      double sum = bias[o];
      for (size_t j = 0; j < 3; ++j) {
        const size_t row = t * stride + j;  // one more than the frame
        if (row == 0 || row > frames) continue;
        for (size_t c = 0; c < in; ++c) sum += weight[(o * in + c) * 3 + j] * x[(row - 1) * in + c];
      }
      y[t * out + o] = exact_gelu(sum);
    }
  }
  return y;
}

Values attention(const RandomModel& model, const std::string& name, const Values& x,
                 const Values& source, size_t width, size_t heads, bool causal) {
  const Values q = linear(model, name + ".query", x, width);
  const Values k = linear(model, name + ".key", source, width);
  const Values v = linear(model, name + ".value", source, width);
  const size_t size = width / heads;
  Values out(x.size());
  for (size_t i = 0; i < x.size() / width; ++i) {
    const size_t keys = causal ? i + 1 : source.size() / width;
    for (size_t h = 0; h < heads; ++h) {
      Values scores(keys);
      double total = 0;
      for (size_t j = 0; j < keys; ++j) {
        double dot = 0;
        for (size_t d = 0; d < size; ++d) {
          dot += q[i * width + h * size + d] * k[j * width + h * size + d];
        }
        scores[j] = std::exp(dot / std::sqrt(static_cast<double>(size)));
        total += scores[j];
      }
      for (size_t j = 0; j < keys; ++j) {
        for (size_t d = 0; d < size; ++d) {
          out[i * width + h * size + d] += scores[j] / total * v[j * width + h * size + d];
        }
      }
    }
  }
  return linear(model, name + ".out", out, width);
}

void add(Values& x, const Values& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

void add_mlp(const RandomModel& model, const std::string& block, Values& x, size_t width) {
  Values hidden =
      linear(model, block + "mlp.0", layer_norm(model, block + "mlp_ln", x, width), width);
  for (double& value : hidden) value = exact_gelu(value);
  add(x, linear(model, block + "mlp.2", hidden, 4 * width));
}

}  // namespace

RandomFile random_file(const WhisperDimensions& dimensions, uint64_t seed, Dtype dtype,
                       Dtype vector_dtype, bool is_multilingual) {
  RandomFile file;
  file.metadata.model_type.assign("whisper");
  file.metadata.family.emplace<WhisperMetadata>().dimensions = dimensions;
  file.metadata.vocabulary = small_vocabulary(is_multilingual);

  Random random(seed);
  for (const WantedTensor& tensor : whisper_tensors(dimensions)) {
    const uint64_t count = *tensor.shape.element_count();
    const bool is_matrix = tensor.name.ends_with(".weight") && tensor.shape.rank() > 1;
    Dtype type = is_matrix ? dtype : vector_dtype;
    if (tensor.shape.last() % dtype_traits(type).elements_per_block != 0) type = Dtype::f32;
    const bool is_gain = tensor.name.ends_with(".weight") && !is_matrix;
    file.weights.push_back(random_weight(random, type, count / tensor.shape.last(),
                                         tensor.shape.last(), is_gain ? 1.0f : 0.3f));
    file.values[tensor.name] = file.weights.back()->values;
    TensorInfo info;
    info.name = tensor.name;
    info.dtype = type;
    info.shape = tensor.shape;
    info.raw_byte_count = info.stored_byte_count = *tensor_byte_count(type, tensor.shape);
    file.infos.push_back(info);
  }
  return file;
}

RandomModel random_model(const WhisperDimensions& dimensions, uint64_t seed, Dtype dtype,
                         Dtype vector_dtype, bool is_multilingual, const WeightPacking& packing,
                         size_t piece_bytes) {
  RandomFile file = random_file(dimensions, seed, dtype, vector_dtype, is_multilingual);
  RandomModel model;
  model.store = WeightStore(whisper_alone(), packing);
  model.dimensions = dimensions;
  model.values = file.values;
  ModelManifest manifest = file.manifest();
  EXPECT_TRUE(model.store.on_manifest(manifest).has_value());
  const std::vector<TensorInfo>& infos = file.infos;
  for (size_t i = 0; i < infos.size(); ++i) {
    const bool streams = piece_bytes > 0 && model.store.stream_tensor(infos[i]).value();
    if (streams) {
      ByteSpan bytes = file.bytes(i);
      while (!bytes.empty()) {
        const size_t count = std::min(piece_bytes, bytes.size());
        model.store.on_tensor_bytes(bytes.first(count));
        bytes = bytes.subspan(count);
      }
      model.store.on_tensor_complete(infos[i]);
      continue;
    }
    auto place = model.store.place_tensor(infos[i]);
    if (!EXPECT_TRUE(place.has_value())) break;
    std::memcpy(place->data(), file.bytes(i).data(), place->size());
    model.store.on_tensor_complete(infos[i]);
  }
  return model;
}

std::vector<double> exact_encoder(const RandomModel& model, const std::vector<double>& mel) {
  const WhisperDimensions& d = model.dimensions;
  Values x = convolution(model, "encoder.conv1", mel, d.n_mels, 1);
  x = convolution(model, "encoder.conv2", x, d.n_audio_state, 2);
  add(x, model.values.at("encoder.positional_embedding"));
  for (uint32_t i = 0; i < d.n_audio_layer; ++i) {
    const std::string block = "encoder.blocks." + std::to_string(i) + ".";
    const Values normed = layer_norm(model, block + "attn_ln", x, d.n_audio_state);
    add(x,
        attention(model, block + "attn", normed, normed, d.n_audio_state, d.n_audio_head, false));
    add_mlp(model, block, x, d.n_audio_state);
  }
  return layer_norm(model, "encoder.ln_post", x, d.n_audio_state);
}

ExactDecoding exact_decoding(const RandomModel& model, const std::vector<double>& audio,
                             const std::vector<uint32_t>& tokens) {
  const WhisperDimensions& d = model.dimensions;
  const size_t width = d.n_text_state;
  const Values& embedding = model.values.at("decoder.token_embedding.weight");
  const Values& positions = model.values.at("decoder.positional_embedding");
  ExactDecoding result;
  Values x(tokens.size() * width);
  for (size_t t = 0; t < tokens.size(); ++t) {
    for (size_t i = 0; i < width; ++i) {
      x[t * width + i] = embedding[tokens[t] * width + i] + positions[t * width + i];
    }
  }
  for (uint32_t i = 0; i < d.n_text_layer; ++i) {
    const std::string block = "decoder.blocks." + std::to_string(i) + ".";
    const Values normed = layer_norm(model, block + "attn_ln", x, width);
    add(x, attention(model, block + "attn", normed, normed, width, d.n_text_head, true));
    const Values crossed = layer_norm(model, block + "cross_attn_ln", x, width);
    result.queries.push_back(linear(model, block + "cross_attn.query", crossed, width));
    result.keys.push_back(linear(model, block + "cross_attn.key", audio, width));
    add(x, attention(model, block + "cross_attn", crossed, audio, width, d.n_text_head, false));
    add_mlp(model, block, x, width);
  }
  result.hidden = layer_norm(model, "decoder.ln", x, width);
  result.logits.resize(tokens.size() * d.n_vocab);
  for (size_t t = 0; t < tokens.size(); ++t) {
    for (size_t v = 0; v < d.n_vocab; ++v) {
      for (size_t i = 0; i < width; ++i) {
        result.logits[t * d.n_vocab + v] += result.hidden[t * width + i] * embedding[v * width + i];
      }
    }
  }
  return result;
}

}  // namespace susurrus::testing
