#!/bin/sh
# Runs scripts/setup.sh against a system that is made up: dpkg-query, apt-get, id and sudo are small
# scripts in a folder of their own, which write down what they are asked to do.
#
#   setup_test.sh SCRIPTS_FOLDER
set -u

scripts=$1
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
failures=0

expect() { # NAME CONDITION...
  name=$1
  shift
  if ! "$@"; then
    echo "FAILED: $name"
    sed 's/^/  printed: /' "$sandbox/printed"
    sed 's/^/  apt-get: /' "$sandbox/asked"
    failures=$((failures + 1))
  fi
}
printed() { grep -qF -- "$1" "$sandbox/printed"; }
asked() { grep -qF -- "$1" "$sandbox/asked"; }
nothing_asked() { [ ! -s "$sandbox/asked" ]; }

# A folder with setup.sh, a short list of packages, and the made-up commands before the real ones.
mkdir "$sandbox/scripts" "$sandbox/bin"
cp "$scripts/setup.sh" "$sandbox/scripts/"
cat >"$sandbox/scripts/packages.txt" <<'END'
# A comment.
[build]
g++
libnew-dev | libold-dev (>= 2.0)
libother-dev
[lint]
linter
END
cat >"$sandbox/bin/dpkg-query" <<'END'
#!/bin/sh
for package; do :; done
grep "^$package " "$SANDBOX/installed" | sed 's/^[^ ]* /installed /' | grep .
END
cat >"$sandbox/bin/id" <<'END'
#!/bin/sh
cat "$SANDBOX/user"
END
cat >"$sandbox/bin/sudo" <<'END'
#!/bin/sh
exit 1
END
cat >"$sandbox/bin/apt-get" <<'END'
#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >>"$SANDBOX/asked"
case " $* " in *" --simulate "*) cat "$SANDBOX/plan" ;; esac
END
chmod +x "$sandbox"/bin/*

# run INSTALLED USER_ID PLAN [ARGUMENT...]: sets `code`.
run() {
  printf '%b' "$1" >"$sandbox/installed"
  echo "$2" >"$sandbox/user"
  printf '%b' "$3" >"$sandbox/plan"
  shift 3
  : >"$sandbox/asked"
  code=0
  SANDBOX=$sandbox PATH="$sandbox/bin:$PATH" "$sandbox/scripts/setup.sh" "$@" \
    >"$sandbox/printed" 2>&1 </dev/null || code=$?
}

run 'g++ 12\nlibnew-dev 1\nlibother-dev 3\n' 1000 ''
expect "nothing is missing: success" [ "$code" -eq 0 ]
expect "nothing is missing: no apt at all" nothing_asked

run 'g++ 12\nlibold-dev 2.1\nlibother-dev 3\n' 1000 ''
expect "an alternative that is new enough will do" [ "$code" -eq 0 ]

run 'g++ 12\nlibold-dev 1.9\nlibother-dev 3\n' 0 'Inst libnew-dev\n'
expect "an alternative that is too old will not" printed "missing packages: libnew-dev"
expect "only what is missing is installed, and nothing removed" \
  asked "noninteractive -q -o DPkg::Lock::Timeout=300 install -y --no-remove --no-install-recommends libnew-dev"
expect "the lists are fetched first" asked "update"
expect "an installation: success" [ "$code" -eq 0 ]

run 'g++ 12\nlibold-dev 1.9\nlibother-dev 3\n' 0 'Remv libold-dev [1.9]\nInst libnew-dev\n'
expect "a removal would be needed: failure" [ "$code" -ne 0 ]
expect "a removal would be needed: says what" \
  printed "would have to remove packages that are installed: libold-dev"
expect "a removal would be needed: nothing is installed" sh -c "! grep -q -- -y '$sandbox/asked'"

run 'g++ 12\nlibnew-dev 1\n' 1000 ''
expect "not root and no sudo: failure" [ "$code" -ne 0 ]
expect "not root and no sudo: says which command to run" \
  printed "apt-get update && apt-get install --no-remove libother-dev"
expect "not root and no sudo: no apt" nothing_asked

run 'g++ 12\nlibnew-dev 1\nlibother-dev 3\n' 1000 '' build lint
expect "a further group is asked for by name" printed "missing packages: linter"

run '' 1000 '' nonsense
expect "an unknown group: failure" [ "$code" -ne 0 ]
expect "an unknown group: says so" printed "there is no group 'nonsense'"

if [ "$failures" -ne 0 ]; then exit 1; fi
echo "all passed"
