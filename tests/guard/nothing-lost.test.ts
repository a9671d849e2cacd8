import { describe, expect, it } from "vitest";
import { HOME, judge, machine, makeIndex, PROJECT, rulesOf } from "./scene.ts";

const system = machine({
  [`${PROJECT}/lib/empty`]: { kind: "directory" },
  [`${PROJECT}/out-link`]: { kind: "symlink", target: "/data/shared" },
  [`${HOME}/other/empty`]: { kind: "directory" },
  "/srv/link": { kind: "symlink", target: "/data/shared" },
});
const verdictOf = (command: string) => judge(command, { system }).verdict;

describe("what is looked at before a question", () => {
  it.each([
    ["nothing there", "rm -rf nowhere"],
    ["nothing there, outside the project", "rm -rf /srv/nowhere ~/other/nowhere"],
    ["an empty directory", "rm -rf lib/empty"],
    ["an empty directory elsewhere", "rm -rf ~/other/empty"],
    ["a link, whatever it leads to", "rm -rf out-link"],
    ["a link elsewhere", "rm -rf /srv/link"],
    ["a directory that is made first", "mkdir -p work/a && touch work/a/b && rm -rf work"],
    ["a copy", "cp -r src copy && rm -rf copy"],
    ["what an archive is unpacked into", "mkdir t && tar xf a.tar -C t && rm -rf t"],
    ["a clone", "git clone https://example.com/app.git && rm -rf app"],
    ["output", "echo x > d/x.txt; rm -rf d"],
    ["nothing to mirror over", "rsync -a --delete src/ fresh/"],
    ["nothing to shred", "shred -u nowhere.txt"],
    ["a pattern that finds nothing", "rm -rf nowhere*"],
    ["a pattern in nothing", "rm -rf nowhere/*"],
    ["a pattern in an empty directory", "rm -rf lib/empty/*"],
    ["a pattern that finds nothing elsewhere", "rm -rf /srv/nowhere/*"],
    ["patterns in the middle and at the end", "rm -rf lib/e*/*.o"],
    ["nothing found", "find lib/empty -type f -delete"],
  ])("passes: %s", (_, command) => expect(verdictOf(command)).toBe("allow"));

  it.each([
    ["work", "rm -rf src"],
    ["what a link leads to", "rm -rf out-link/ out-link/notes.md"],
    ["what a link leads to, shredded", "ln -s README.md r; shred -u r"],
    ["a directory with something in it", "rm -rf lib"],
    ["what a pattern finds", "rm -rf s*c"],
    ["what a pattern finds in a shell of another kind", "rm -rf S*C"],
    ["what a pattern leaves", "shopt -s extglob; rm -rf src/!(nowhere)"],
    ["a pattern behind something that was moved", "mv src x1 && rm -rf x1/*"],
    ["a pattern behind what something else may bring", "mount /dev/sdb1 /mnt/new && rm -rf /mnt/new/*"],
    ["a name that is only known in part", 'rm -rf "$X/y"'],
    ["a place that is not known", 'cd "$X" && rm -rf y'],
    ["another machine", "ssh host rm -rf /srv/nowhere"],
    ["a container", "docker run -v /srv:/srv img rm -rf /srv/nowhere/x"],
    ["what something else may bring there", "mount /dev/sdb1 /mnt/new && rm -rf /mnt/new/photos"],
  ])("asks: %s", (_, command) => expect(verdictOf(command)).toBe("ask"));

  it("leaves denials alone", () => {
    expect(verdictOf("rm -rf ~/nowhere")).toBe("deny");
    expect(verdictOf("rm -rf /etc/nowhere")).toBe("deny");
  });

  it("does not take what cannot be looked at for nothing", () => {
    const broken = machine();
    broken.faults.failUnder("/srv", "EACCES");
    expect(judge("rm -rf /srv/nowhere", { system: broken }).verdict).toBe("ask");
  });
});

describe("what was moved", () => {
  it.each([
    "mv src x1 && rm -rf x1",
    "mv src /tmp/x1 && rm -rf /tmp/x1",
    "mv src a1 && mv a1 b1 && rm -rf b1",
    "mv src lib/empty && rm -rf lib/empty",
    "mv src x1; rm -rf x1/guard",
    "git mv src x1 && rm -rf x1",
    "mkdir trash && mv src trash/ && rm -rf trash",
  ])("is lost with its new place: %s", command => {
    const [finding] = judge(command, { system }).findings;
    expect(finding?.rule).toBe("fs.source");
    expect(finding?.target.startsWith(`${PROJECT}/src`)).toBe(true);
    expect(finding?.atRisk?.some(path => path.startsWith(`${PROJECT}/src`))).toBe(true);
  });

  it("only counts before it is deleted, and only when it was worth something", () => {
    expect(verdictOf("rm -rf x1 && mv src x1")).toBe("allow");
    expect(verdictOf("mv dist x1 && rm -rf x1")).toBe("allow");
  });

  it("may be everything in the project, but not the project, its history or the place of the session", () => {
    expect(rulesOf("mv * ../elsewhere/")).toEqual([]);
    expect(rulesOf("mv src tests docs ../elsewhere/")).toEqual([]);
    expect(rulesOf("mv .git ../elsewhere/")).toEqual(["fs.project"]);
    expect(rulesOf("mv ../project ../elsewhere")).toContain("fs.cwd");
    expect(rulesOf("mv * /dev/null")).toContain("fs.project");
  });
});

describe("build output", () => {
  it("is work where git tracks it", () => {
    expect(judge("rm -rf build").verdict).toBe("allow");
    const index = makeIndex(["build/out.o", "src/index.ts"]);
    const tracking = machine({ [`${PROJECT}/.git/index`]: index });
    expect(rulesOf("rm -rf build", { system: tracking })).toEqual(["fs.source"]);
    expect(rulesOf("rm -rf dist", { system: tracking })).toEqual([]);
  });
});
