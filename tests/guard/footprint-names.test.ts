import { describe, expect, it } from "vitest";
import { findUnkept, judgeTool } from "../../src/exports/guard.ts";
import type { Footprint } from "../../src/guard/footprint.ts";
import { footprintOfHarmless } from "../../src/guard/prefilter.ts";
import { contextFor, HOME, judge, machine, PROJECT, settings } from "./scene.ts";

/** A line for each target, repository and directory, with the project left out of paths. */
function tell({ targets, repositories, unknownIn, unresolved }: Footprint): readonly string[] {
  const short = (path: string) => path.replace(`${PROJECT}/`, "").replace(PROJECT, ".");
  return [
    ...targets.map(({ how, path, isTree }) => `${how} ${short(path)}${isTree ? "/**" : ""}`),
    ...repositories.map(({ top = "bare", changesFiles, changesState }) =>
      ["git", short(top), changesFiles ? "files" : "", changesState ? "state" : ""].filter(Boolean).join(" "),
    ),
    ...unknownIn.map(path => `unknown in ${short(path)}`),
    ...unresolved.map(shown => `not known: ${shown}`),
  ];
}

const footprintOf = (command: string, options = {}) => tell(judge(command, options).footprint());

describe("the footprint of a command", () => {
  it.each<[string, readonly string[]]>([
    ["rm -rf src", ["delete src/**"]],
    ["rm src/*.ts", ["delete src/index.ts"]],
    ["rm secret-link", ["delete secret-link"]],
    ["mv README.md docs", ["move README.md/**", "write docs/README.md"]],
    ["echo x > new/deep/file", ["write new/**"]],
    ["chmod -R +x src", ["attributes src/**"]],
    ["gzip notes.txt", ["write notes.txt", "write notes.txt.gz"]],
    ["gunzip old.tgz", ["write old.tgz", "write old.tar"]],
    ["bzip2 -d old.TBZ2", ["write old.TBZ2", "write old.tar"]],
    ["gunzip old", ["", ".gz", ".z", "-z", ".Z"].map(end => `write old${end}`)],
    ["gzip -f old.gz", ["write old", "write old.gz", "write old.gz.gz"]],
    ["bunzip2 -k old", ["write old", "write old.out"]],
    ["cat a | tee notes.txt", ["write notes.txt"]],
    ["sudo bash -c 'rm notes.txt'", ["delete notes.txt"]],
    ["cd docs && rm index.md", ["delete docs/index.md"]],
    ["git reset --hard", ["git . files state"]],
    ["git stash drop", ["git . state"]],
    ["git clean -fd", ["git . files"]],
    ["git branch -D main", ["git . state"]],
    ["git -C ../other commit -m x", [`git ${HOME}/other files state`]],
    ["git nuke", ["git . files state"]],
    ["git wipe", ["git . files state", "unknown in .", "delete src/**"]],
    ["make", ["unknown in ."]],
    ["npm run build", ["unknown in ."]],
    ["./script.sh", ["unknown in ."]],
    ["python3 tool.py", ["unknown in ."]],
    ["prettier --write .", ["unknown in ."]],
    ["no-such-program x", ["unknown in ."]],
    ["./ls", ["unknown in ."]],
    ['rm "$X"', ["unknown in .", "not known: $X"]],
    ["find . -name '*.ts' -delete", ["delete ./**"]],
    ["find . -name '*.pyc' -delete", ["unknown in ."]],
    ["make -C ../other", ["unknown in .", `unknown in ${HOME}/other`]],
    ["ssh host 'rm -rf /srv/x; make'", []],
    ["docker run img rm -rf /x", ["unknown in ."]],
    ["docker run -v $PWD/src:/s img rm -rf /s/x", ["delete src/x/**", "unknown in ."]],
    ["echo x > /dev/null", []],
    ["git log -3 | head -1", []],
    ["bash -n x.sh", []],
    ["gh pr list", []],
    ["node --version", []],
    ["rm --help", []],
  ])("%s", (command, expected) => expect([...footprintOf(command)].sort()).toEqual([...expected].sort()));

  it("has hooks of the repository among what a commit may change", () => {
    const system = machine({ [`${PROJECT}/.git/hooks/pre-push`]: "#!/bin/sh\n" });
    expect(footprintOf("git push origin HEAD:x")).toEqual(["git . state"]);
    expect(footprintOf("git push origin HEAD:x", { system })).toEqual(["git . files state"]);
  });

  it("is worked out once, and stays when findings are settled", () => {
    const judgement = judge("rm -rf src; git push --force");
    expect(judgement.footprint()).toBe(judgement.footprint());
    const rest = judgement.findings.filter(finding => finding.atRisk === undefined);
    const settled = judgement.settle(rest);
    expect(settled.findings.map(finding => finding.rule)).toEqual(["git.push"]);
    expect(settled.verdict).toBe("ask");
    expect(settled.footprint()).toBe(judgement.footprint());
    expect(judgement.settle([]).verdict).toBe("allow");
  });
});

describe("the quick way past the guard", () => {
  const quick = (command: string) => {
    const footprint = footprintOfHarmless(command, contextFor());
    return footprint === undefined ? undefined : tell(footprint);
  };

  it("tells what only reads from what runs", () => {
    for (const command of ["ls -la", "git status", "cat README.md", "npm ls"])
      expect(quick(command)).toEqual([]);
    for (const command of ["npm test", "cargo build", "pytest -x", "tsc", "eslint src", "go test ./..."])
      expect(quick(command), command).toEqual(["unknown in ."]);
    expect(quick("rm x")).toBeUndefined();
  });

  it("gives the same to whoever judges", () => {
    expect(footprintOf("npm test")).toEqual(["unknown in ."]);
    expect(footprintOf("git status")).toEqual([]);
  });
});

describe("the footprint of a file tool", () => {
  const of = (name: string, input: Record<string, unknown>) =>
    tell(
      judgeTool(
        { tool: { name, canonicalName: name, input } as never, facts: { command: null, paths: [] } as never },
        contextFor(),
      ).footprint(),
    );

  it("is what it writes", () => {
    expect(of("Write", { file_path: `${PROJECT}/notes.txt` })).toEqual(["write notes.txt"]);
    expect(of("Write", { file_path: "made/deep/x.ts" })).toEqual(["write made/**"]);
    expect(of("NotebookEdit", { notebook_path: `${PROJECT}/a.ipynb` })).toEqual(["write a.ipynb"]);
    expect(
      of("apply_patch", { patch: "*** Begin Patch\n*** Update File: src/index.ts\n*** End Patch" }),
    ).toEqual(["write src/index.ts"]);
    expect(of("mcp__fs__move_file", { source: `${PROJECT}/src`, destination: `${PROJECT}/lib` })).toEqual([
      "move src/**",
      "write lib/**",
    ]);
    expect(of("Read", { file_path: `${PROJECT}/notes.txt` })).toEqual([]);
  });
});

describe("what a finding puts at risk", () => {
  const risksOf = (command: string) => judge(command).findings.map(({ rule, atRisk }) => [rule, atRisk]);

  it("is named where a copy would help", () => {
    expect(risksOf("rm -rf src docs")).toEqual([
      ["fs.source", [`${PROJECT}/src`]],
      ["fs.source", [`${PROJECT}/docs`]],
    ]);
    expect(risksOf("rm -rf /data/shared")).toEqual([["fs.outside", ["/data/shared"]]]);
    expect(risksOf("git checkout -- src")).toEqual([["git.checkout", [PROJECT]]]);
    expect(risksOf("find . -name '*.ts' -delete")).toEqual([["fs.bulk", [PROJECT]]]);
  });

  it("is not named for what is not known, not here, or not recoverable", () => {
    for (const command of [
      'rm -rf "$X"',
      "ssh host rm -rf /srv/x",
      "rm -rf ~",
      "git push --force",
      "cat .env",
    ])
      expect(
        risksOf(command).map(([, atRisk]) => atRisk),
        command,
      ).not.toContainEqual(expect.anything());
  });

  it("can be found to be kept by nobody", () => {
    const finding = findUnkept(settings({ level: "relaxed" }), "/data/huge.bin", "it is larger than 50 MB");
    expect(finding?.verdict).toBe("ask");
    expect(finding?.lost).toContain("/data/huge.bin");
    expect(finding?.lost).toContain("because it is larger than 50 MB");
    expect(findUnkept(settings({ rules: { "fs.unkept": "off" } }), "/x", "y")).toBeUndefined();
  });
});
