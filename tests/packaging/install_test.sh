#!/usr/bin/env bash
# What cmake --install puts in place is complete and runs from there.
#   install_test.sh BUILD_FOLDER
set -euo pipefail
build=$1
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" > /dev/null

fail() { echo "$1" >&2; exit 1; }
has() { [[ -s $prefix/$1 ]] || fail "$1 is not installed"; }
for file in bin/cleave-cli share/man/man1/cleave-cli.1 share/cleave/plan.schema.json share/cleave/python/cleave_plan.py share/cleave/examples/cora.npz \
            share/doc/*/copyright share/doc/*/THIRD_PARTY.md; do
    has "$(cd "$prefix" && echo $file)"
done
"$prefix/bin/cleave-cli" inspect "$prefix/share/cleave/examples/gcn.pt2" | grep -q 'message degree 2' || fail "the installed cleave-cli does not open the example"
for command in $("$prefix/bin/cleave-cli" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
    grep -q "^.B $command" "$prefix/share/man/man1/cleave-cli.1" || fail "the man page does not know cleave-cli $command"
done

if [[ -e $prefix/bin/cleave ]]; then
    id=io.github.cleave.Cleave
    for file in libexec/cleave/cleave-layout share/man/man1/cleave.1 share/applications/$id.desktop share/metainfo/$id.metainfo.xml share/mime/packages/$id.xml \
                share/icons/hicolor/scalable/apps/$id.svg share/icons/hicolor/symbolic/apps/$id-symbolic.svg; do
        has $file
    done
    QT_QPA_PLATFORM=offscreen "$prefix/bin/cleave" --version | grep -q '^Graphviz [0-9]' || fail "the installed cleave does not find its layout program"
    for type in application/vnd.cleave.plan+json application/vnd.pytorch.export; do
        for file in share/applications/$id.desktop share/metainfo/$id.metainfo.xml share/mime/packages/$id.xml; do
            grep -qF "$type" "$prefix/$file" || fail "$file does not know $type"
        done
    done
    for option in $("$prefix/bin/cleave" --help | grep -oE '^ +(-[a-z?], )*--[a-z]+' | grep -oE '[a-z]+$' | grep -vE 'help|all'); do
        grep -q "\\\\-\\\\-$option" "$prefix/share/man/man1/cleave.1" || fail "the man page does not know cleave --$option"
    done
fi
