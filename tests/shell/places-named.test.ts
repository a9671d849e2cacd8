import { describe, expect, it } from "vitest";
import { calls } from "./reading.ts";

// Programs whose output names a place: what is known of it, and what is not.

describe("a place that a program names", () => {
  it.each([
    ["$(pwd)", "/home/me/project"],
    ["$(dirname /a/b/c)", "/a/b"],
    ['"$(dirname /a/b /c/d)"', "/a\n/c"],
    ["$(basename -s .c a/x.c)", "x"],
    ["$(basename -a a/x)", "x"],
    ["$(basename x.c x.c)", "x.c"],
    ["$(realpath src)", "/home/me/project/src"],
    ["$(realpath -m ../x)", "/home/me/x"],
    ["$(readlink -f src)", "/home/me/project/src"],
    ["$(which rm)", "/usr/bin/rm"],
    ["$(which ./tool)", "./tool"],
    ["$(command -v rm)", "/usr/bin/rm"],
    ["$(mktemp -d)", "/tmp/tmp.fresh1"],
    ["$(mktemp /var/x.XXXXXX)", "/var/x.fresh1"],
    ["$(mktemp -p /var/tmp)", "/var/tmp/tmp.fresh1"],
    ["$(mktemp --tmpdir=/data job.XXXX)", "/data/job.fresh1"],
    ["$(mktemp -t job.XXXX)", "/tmp/job.fresh1"],
    ["$(whoami)", "me"],
    ['"$(seq 2)"', "1\n2"],
    ['"$(seq 3 -1 1)"', "3\n2\n1"],
    ['"$(seq 5 1)"', ""],
  ])("is known: %s", (word, place) => {
    expect(calls(`touch ${word}`, "touch")).toEqual([`touch ${place}`]);
  });

  it.each([
    "$(realpath --relative-to=/ x)",
    "$(readlink link)",
    "$(dirname $UNKNOWN_NAME)",
    "$(date +%Y)",
    "$(date +%D)",
    "$(date)",
    "$(seq 1 100000)",
    "$(seq a)",
    "$(seq 1 0 5)",
    "$(hostname)",
    "$(git rev-parse --show-toplevel)",
  ])("is not known: %s", word => {
    expect(calls(`touch "${word}"`, "touch").join()).toMatch(/\{.*\}/s);
  });

  it("is not known for a user whom nobody named", () => {
    expect(calls("touch $(whoami)", "touch", { user: undefined }).join()).toContain("{");
  });
});
