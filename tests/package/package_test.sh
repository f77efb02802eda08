#!/bin/sh
# Installs a build, and uses it as somebody else would: find_package and pkg-config, with nothing on the
# include path but the compiler's headers, the C library's, tl/expected.hpp and Braid's.
#
#   tests/package/package_test.sh SOURCE BUILD SCRATCH
set -eu

source=$1
build=$2
scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"

fail() {
  echo "package: $1" >&2
  exit 1
}

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
library=$(find "$scratch/prefix" -name libbraid.so)
[ -n "$library" ] || fail "libbraid.so was not installed"

# What is visible is ours.
nm --dynamic --demangle --defined-only "$library" |
  sed -E 's/^[0-9a-f]+ . (typeinfo for |typeinfo name for |vtable for )?//' >"$scratch/symbols"
strangers=$(grep -v '^braid::' "$scratch/symbols" || true)
[ -z "$strangers" ] || fail "the library shows what is not its own: $strangers"
grep -q '^braid::Engine::Create' "$scratch/symbols" || fail "Engine::Create is not visible"
if grep -E '^braid::(Job|MicroBatchQuery|SideState|RecordStore)::' "$scratch/symbols"; then
  fail "the library shows its inner classes"
fi

# The headers of the packages that a user of Braid needs, and of no others.
headers="$scratch/headers"
dpkg -L libc6-dev linux-libc-dev libcrypt-dev libexpected-dev | sed -n 's,^/usr/include/,,p' |
  while IFS= read -r header; do
    [ -f "/usr/include/$header" ] || continue
    mkdir -p "$headers/$(dirname "$header")"
    ln -s "/usr/include/$header" "$headers/$header"
  done
multiarch=$(g++ -print-multiarch)
flags="-nostdinc"
search_list=$(g++ -std=c++20 -E -x c++ -v /dev/null 2>&1 |
  sed -n '/^#include <...>/,/^End of search/s,^ \(/.*\),\1,p')
for folder in $search_list; do
  folder=$(realpath "$folder")
  case $folder in
    */c++/* | */gcc/*) flags="$flags -isystem $folder" ;;
  esac
done
flags="$flags -isystem $headers/$multiarch -isystem $headers"

# Each public header stands on its own.
for header in "$scratch"/prefix/include/braid/*.h; do
  echo "#include <braid/$(basename "$header")>" >"$scratch/one_header.cc"
  # shellcheck disable=SC2086
  g++ -std=c++20 $flags -I "$scratch/prefix/include" -Wall -Wextra -Werror -fsyntax-only \
    "$scratch/one_header.cc" || fail "$(basename "$header") does not stand on its own"
done
cat "$scratch"/prefix/include/braid/*.h >/dev/null
for header in "$scratch"/prefix/include/braid/*.h; do
  echo "#include <braid/$(basename "$header")>"
done >"$scratch/all_headers.cc"
echo "int main() {}" >>"$scratch/all_headers.cc"

# find_package
cp -r "$source/tests/package/consumer" "$scratch/consumer"
cp "$scratch/all_headers.cc" "$scratch/consumer/"
examples=$(find "$source/examples" -name '*.cpp' | sort | paste -sd ';' -)
cmake -S "$scratch/consumer" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS="$flags" "-DEXAMPLES=$examples" >"$scratch/configure.log"
cmake --build "$scratch/build" >"$scratch/build.log" || {
  cat "$scratch/build.log" >&2
  fail "the consumer does not build"
}
"$scratch/build/consumer" >"$scratch/output"
cat >"$scratch/expected" <<'END'
1 1970-01-01 00:00:03.000
2 1970-01-01 00:00:04.000
3 1970-01-01 00:00:05.000
program error: the ForEachBatch function threw: caught inside the library (batch 0)
END
sed -i "/^headers /d" "$scratch/output"
diff "$scratch/expected" "$scratch/output" || fail "the consumer printed something else"

# pkg-config, from a tree that was moved after it was installed.
mv "$scratch/prefix" "$scratch/moved"
libraries=$(dirname "$(find "$scratch/moved" -name braid.pc)")
export PKG_CONFIG_PATH="$libraries"
# shellcheck disable=SC2046,SC2086
g++ -std=c++20 $flags -Wall -Wextra -Werror "$source/tests/package/consumer/consumer.cc" \
  $(pkg-config --cflags --libs braid) -o "$scratch/by_pkg_config"
LD_LIBRARY_PATH=$(dirname "$libraries") "$scratch/by_pkg_config" | grep -q '^1 1970' ||
  fail "the program built by pkg-config's flags does not run"
"$scratch/moved/bin/braid" --version >/dev/null
echo "package: fine"
