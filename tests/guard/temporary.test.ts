import { describe, expect, it } from "vitest";
import { HOME, judge, machine, PROJECT, settings } from "./scene.ts";

const system = machine({
  [`${HOME}/tmp/a/x`]: "x",
  [`${HOME}/work/scratch/a/x`]: "x",
  "/scratch/job/a/x": "x",
  "/workspace/app/.git/HEAD": "ref: refs/heads/main\n",
  "/workspace/app/src/a/x": "x",
  "/home/other/a/x": "x",
  "/var/lib/db/a/x": "x",
  "/home/link": { kind: "symlink", target: HOME },
});

/** What deleting a directory in it is judged as. */
function verdictIn(tmpdir: string, cwd = PROJECT) {
  return judge(`rm -rf ${tmpdir}/a`, { system, tmpdir, cwd }).verdict;
}

const LOOSENING = [
  "/",
  "/home",
  HOME,
  `${HOME}/`,
  `${HOME}/Documents`,
  `${HOME}/other`,
  `${HOME}/.ssh`,
  "/home/link",
  "/home/other",
  "/etc",
  "/usr/lib",
  "/var/lib/db",
  "/root",
  "/opt",
  "/srv",
  "/Library",
  PROJECT,
  `${PROJECT}/src`,
];

describe("TMPDIR", () => {
  it.each(LOOSENING)("%s loosens nothing", tmpdir => {
    for (const victim of [`${HOME}/Documents`, HOME, "/etc", "/usr/lib", `${PROJECT}/src`, "/var/lib/db"]) {
      const given = judge(`rm -rf ${victim}`, { system, tmpdir });
      const usual = judge(`rm -rf ${victim}`, { system });
      expect([victim, given.verdict]).toEqual([victim, usual.verdict]);
      const configured = judge(`rm -rf ${victim}`, {
        system,
        settings: settings({ paths: { ...settings({}).paths, temp: [tmpdir] } }),
      });
      expect([victim, configured.verdict]).toEqual([victim, usual.verdict]);
    }
  });

  it("does not make a project outside of the home a temporary directory", () => {
    expect(verdictIn("/workspace/app/src", "/workspace/app")).toBe("ask");
    expect(verdictIn("/workspace/app/src", "/workspace/app/src/a")).toBe("deny");
  });

  it("counts where it is said to be one, too", () => {
    for (const tmpdir of ["/tmp", "/scratch/job", `${HOME}/tmp`, `${PROJECT}/.tmp`, "/run/user/1000"])
      expect([tmpdir, verdictIn(tmpdir)]).toEqual([tmpdir, "allow"]);
    const temp = [`${HOME}/work/scratch`, `${HOME}/work/client`];
    const given = { system, settings: settings({ paths: { ...settings({}).paths, temp } }) };
    expect(judge(`rm -rf ${HOME}/work/scratch/a ${HOME}/work/client/x`, given).verdict).toBe("allow");
  });

  it.each([
    'TMPDIR=~; rm -rf "$TMPDIR"/Documents',
    "export TMPDIR=$HOME; rm -rf $TMPDIR/Documents",
    "TMPDIR=$HOME node -e \"fs.rmSync(os.tmpdir()+'/Documents',{recursive:true})\"",
    "TMPDIR=$HOME python3 -c \"import shutil,tempfile; shutil.rmtree(tempfile.gettempdir()+'/Documents')\"",
    "TMPDIR=$UNKNOWN python3 -c \"import shutil,tempfile; shutil.rmtree(tempfile.gettempdir()+'/Documents')\"",
    'env TMP=/etc python3 -c "import shutil,tempfile; shutil.rmtree(tempfile.gettempdir())"',
    'export TMPDIR=$HOME/Documents; rm -rf "$(dirname "$(mktemp -u)")"',
  ])("set by the command: %s is denied", command => {
    expect(judge(command, { system }).verdict).toBe("deny");
  });
});
