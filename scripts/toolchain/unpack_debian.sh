#!/usr/bin/env bash
# Programs and sources from Debian 13, without root and without touching the system's own packages.
#
#   unpack_debian.sh packages [--with-dependencies] PREFIX PACKAGE...   unpacks to PREFIX/root, ready to run
#   unpack_debian.sh sources FOLDER SOURCE...                           upstream archives of source packages, as they are
#
# Packages come from the archive and through the proxy that this machine's apt is configured with, or from
# $SUSURRUS_DEBIAN_MIRROR. Every unpacked program is pointed at the libc unpacked beside it, so it runs on any x86-64
# system that has apt-get and dpkg-deb. PREFIX/ready is written last; a PREFIX that has it is left as it is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
  printf 'unpack_debian.sh: %s\n' "$*" >&2
  exit 1
}

# Each network step is tried three times: mirrors drop connections.
retry() {
  local attempt
  for attempt in 1 2 3; do
    "$@" && return 0
    [[ $attempt == 3 ]] || { printf 'Trying again (%s)...\n' "$1" >&2 && sleep $((attempt * 3)); }
  done
  return 1
}

# Address of a Debian archive. apt names its sources in many formats; what it would fetch is the same in all of them.
debian_mirror() {
  local mirror=${SUSURRUS_DEBIAN_MIRROR:-}
  [[ $mirror ]] || mirror=$(apt-get update --print-uris 2>/dev/null |
    sed -nE "s#^'([^']*/debian)/dists/.*#\1#p" | head -n 1)
  [[ $mirror ]] || fail 'the apt sources of this system name no Debian archive (an address that ends in /debian);' \
    'set SUSURRUS_DEBIAN_MIRROR to the address of one'
  printf '%s\n' "${mirror%/}"
}

# apt with a folder of its own: package lists, cache and (empty) list of installed packages.
prepare_apt() {
  state=$1
  mkdir -p "$state"/{lists/partial,cache/archives/partial,debs}
  : >"$state/status"
  # Ubuntu has no key of Debian's; the public keys stand beside this script.
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [[ -f $keyring ]] || keyring=$here/debian_archive_keys.asc
  local mirror
  mirror=$(debian_mirror)
  printf "%s [arch=amd64 signed-by=$keyring] $mirror trixie main\n" deb deb-src >"$state/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::Lists=$state/lists" -o "Dir::Cache=$state/cache" -o "Dir::State::status=$state/status"
    -o APT::Architecture=amd64 -o APT::Sandbox::User= -o Acquire::Retries=3 -o Acquire::Languages=none
    -o APT::Update::Error-Mode=any)
  retry apt-get "${options[@]}" update ||
    fail "apt-get update failed for $mirror trixie. Is the network (or the proxy of apt) up?"
}

patch_programs() {
  local root=$1 file
  local lib=$root/usr/lib/x86_64-linux-gnu
  local loader=$lib/ld-linux-x86-64.so.2
  local libraries=$lib:$lib/pulseaudio:$root/usr/lib/llvm-19/lib # the folders of their own that some packages have
  # patchelf works on copies of its own libraries: it would pull the originals from under itself.
  local own=$state/patchelf
  mkdir -p "$own"
  cp "$root/usr/bin/patchelf" "$loader" "$lib"/lib{c,m}.so.6 "$lib/libgcc_s.so.1" "$lib/libstdc++.so.6" "$own/"
  local patchelf=("$own/ld-linux-x86-64.so.2" --library-path "$own" "$own/patchelf")
  while IFS= read -r -d '' file; do
    case ${file##*/} in ld-linux* | libc.so.6) continue ;; esac
    [[ $(head -c 4 "$file" | tr -d '\0') == $'\x7fELF' ]] || continue
    "${patchelf[@]}" --set-rpath "$libraries" "$file" 2>/dev/null || continue
    "${patchelf[@]}" --set-interpreter "$loader" "$file" 2>/dev/null || true # libraries have none
  done < <(find "$root/usr" -type f \( -perm -u+x -o -name '*.so*' \) -print0)
}

unpack_packages() {
  local dependencies=
  if [[ $1 == --with-dependencies ]]; then
    dependencies=yes
    shift
  fi
  local prefix
  prefix=$(mkdir -p "$1" && cd "$1" && pwd)
  shift
  [[ -f $prefix/ready ]] && return 0
  rm -rf "${prefix:?}/root" "$prefix/apt"
  mkdir -p "$prefix/root"
  # Merged /usr from the start, as on the system the packages are made for.
  mkdir -p "$prefix/root/usr/"{bin,lib,lib64,sbin}
  for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "$prefix/root/$folder"; done
  prepare_apt "$prefix/apt"
  if [[ $dependencies ]]; then
    retry apt-get "${options[@]}" -y --no-install-recommends --download-only install "$@" patchelf ||
      fail "could not download $* with what they depend on"
    mv "$state"/cache/archives/*.deb "$state/debs/"
  else
    (cd "$state/debs" && retry apt-get "${options[@]}" download "$@" patchelf libc6 libgcc-s1 libstdc++6) ||
      fail "could not download $*"
  fi
  local deb
  for deb in "$state"/debs/*.deb; do
    # tar with its links kept: a package that still ships /lib must not replace the link to usr/lib.
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink --no-same-owner -C "$prefix/root" -f - ||
      fail "could not unpack ${deb##*/} (is the disk full?)"
  done
  patch_programs "$prefix/root"
  rm -rf "$prefix/apt"
  : >"$prefix/ready"
}

fetch_sources() {
  local folder
  folder=$(mkdir -p "$1" && cd "$1" && pwd)
  shift
  prepare_apt "$folder/apt"
  (cd "$folder" && retry apt-get "${options[@]}" source --tar-only "$@") || fail "could not download sources of $*"
  rm -rf "$folder/apt"
}

for tool in apt-get dpkg-deb tar find; do
  command -v "$tool" >/dev/null || fail "needs $tool, which this system does not have"
done
[[ $(uname -m) == x86_64 ]] || fail "knows only x86-64; this is $(uname -m)"
case ${1:-} in
  packages) shift && unpack_packages "$@" ;;
  sources) shift && fetch_sources "$@" ;;
  *) fail 'expects packages or sources' ;;
esac
