#!/usr/bin/env bash
# Emscripten 3.1.69 (LLVM 19, Binaryen 120, system libraries prebuilt) from Debian 13 packages into PREFIX.
# About 340 MB of downloads, 2.1 GB unpacked. PREFIX/ready is written last.
#
#   emscripten_from_debian.sh PREFIX NODE     NODE: the node program that emcc shall use
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$(mkdir -p "$1" && cd "$1" && pwd)
[[ -f $prefix/ready ]] && exit 0

"$here/unpack_debian.sh" packages "$prefix/packages" emscripten binaryen clang-19 lld-19 llvm-19 llvm-19-linker-tools \
  llvm-19-runtime libllvm19 libclang-cpp19 libclang-common-19-dev libclang1-19 libzstd1 zlib1g libedit2 libxml2 \
  libtinfo6 libz3-4 libffi8 libicu76 liblzma5 libbsd0 libmd0 node-acorn node-xtend clang-format-19

root=$prefix/packages/root
ln -sfn ../nodejs "$root/usr/share/emscripten/node_modules" # acorn, for its JavaScript optimiser
# Its scripts are CommonJS, whatever the package.json above this folder says.
printf '{ "type": "commonjs" }\n' >"$prefix/package.json"
cat >"$prefix/em_config" <<CONFIG
LLVM_ROOT = '$root/usr/lib/llvm-19/bin'
BINARYEN_ROOT = '$root/usr'
NODE_JS = '$2'
CONFIG
: >"$prefix/ready"
