#!/usr/bin/env python3
"""Every text of the window is translated: the files are up to date with the sources, complete, and keep what is filled in.

    translations_test.py LUPDATE PROJECT
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

FILES = {"cleave_zh_CN.ts": (["-target-language", "zh_CN"], 1), "cleave_en.ts": (["-target-language", "en", "-pluralonly"], 2)}


def messages(path):
    """(context, source, comment) -> (translations, whether finished)"""
    found = {}
    for context in ET.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            found[context.findtext("name"), message.findtext("source"), message.findtext("comment") or ""] = (forms, translation.get("type") is None)
    return found


def places(text):
    return collections.Counter(re.findall(r"%L?\d|%n|<[^>]*>", text))


def mnemonic(text):
    return re.search(r"&[^&\s]", text) is not None


def problems(lupdate, project, name):
    options, forms = FILES[name]
    recorded = messages(project / "resources/translations" / name)
    with tempfile.TemporaryDirectory() as folder:
        updated = pathlib.Path(folder) / name
        shutil.copy(project / "resources/translations" / name, updated)
        subprocess.run([lupdate, "-silent", "-no-obsolete", "-locations", "none", "-I", project, project / "views", project / "app/gui", *options, "-ts", updated],
                       check=True)
        current = messages(updated)
    for key in current.keys() - recorded.keys():
        yield f"{name} lacks {key[1]!r} of {key[0]}: build the target translations, then translate it"
    for key in recorded.keys() - current.keys():
        yield f"{name} has {key[1]!r} of {key[0]}, which is in no source: build the target translations"
    for (context, source, _), (texts, finished) in recorded.items():
        if not finished or len(texts) != forms or not all(texts):
            yield f"{name}: {source!r} of {context} is not translated"
        elif name != "cleave_en.ts":
            for text in texts:
                if places(text) != places(source):
                    yield f"{name}: {text!r} does not fill in what {source!r} does"
                if mnemonic(source) and not mnemonic(text):
                    yield f"{name}: {text!r} has no key, {source!r} has one"


def main():
    lupdate, project = sys.argv[1], pathlib.Path(sys.argv[2])
    found = [problem for name in FILES for problem in problems(lupdate, project, name)]
    print("\n".join(found) or "complete")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
