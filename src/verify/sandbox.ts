import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { quoteWord } from "../system/index.ts";
import { version } from "../version.ts";

/** Something a sandbox holds before a run, by path below it. */
export type SeedFile =
  | string
  | { readonly directory: true }
  | { readonly base64: string }
  /** `age` in seconds; `mode` as a decimal number */
  | { readonly text: string; readonly age?: number; readonly mode?: number };

/** What the bridge of a hook answers; an exit code other than 0 makes it fail. */
export interface BridgeScript {
  readonly stdout?: string;
  readonly exit?: number;
}

export interface Seed {
  readonly fixtureFolder?: string | undefined;
  readonly files?: Readonly<Record<string, SeedFile>> | undefined;
  /** undefined: the bridge answers every request with an empty result */
  readonly bridge?: BridgeScript | undefined;
}

/** What a bridge says that knows nothing, by action. */
const EMPTY_REPLIES: Readonly<Record<string, string>> = {
  reflect: '{"should_block":false,"findings":[],"severity":"low"}',
  get_context: '{"context":"","memories":[]}',
  store: '{"stored":true,"memories_count":1}',
  inject_memory: '{"injected_context":"","memory_keys_used":[]}',
};

/** A private directory that serves a run as home and as project. */
export interface Sandbox {
  readonly path: string;
  /** what a program in here must be told besides its home */
  readonly env: Readonly<Record<string, string>>;
  fillIn(text: string): string;
  makeDirectory(relative: string): void;
  remove(): void;
}

export const SANDBOX_MARK = "{{SANDBOX}}";

export function openSandbox(seed: Seed): Sandbox {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "amplihack-")));
  const path = join(place, "sandbox");
  mkdirSync(path);
  const nowMs = Date.now();
  const fillIn = (text: string): string =>
    text
      .replaceAll(SANDBOX_MARK, path)
      .replaceAll("{{PID}}", String(process.pid))
      .replaceAll("{{VERSION}}", version)
      .replace(/\{\{(NOW|EPOCH)(?:-(-?\d+))?\}\}/g, (_, form: string, ago = "0") => {
        const ms = nowMs - Number(ago) * 1000;
        return form === "NOW" ? new Date(ms).toISOString() : String(Math.floor(ms / 1000));
      });
  if (seed.fixtureFolder !== undefined && existsSync(seed.fixtureFolder)) {
    cpSync(seed.fixtureFolder, path, { recursive: true });
  }
  for (const [name, file] of Object.entries(seed.files ?? {}))
    writeSeed(join(path, name), file, fillIn, nowMs);
  const bridge = join(place, "bridge.sh");
  writeFileSync(bridge, bridgeScript(seed.bridge));
  return {
    path,
    env: { AMPLIHACK_TESTING: "1", AMPLIHACK_TEST_BRIDGE_COMMAND: JSON.stringify(["/bin/sh", bridge]) },
    fillIn,
    makeDirectory: relative => mkdirSync(join(path, relative), { recursive: true }),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** No real memory takes part in a comparison: answers would depend on what was remembered. */
function bridgeScript(script: BridgeScript | undefined): string {
  if (script !== undefined) {
    return `cat > /dev/null\nprintf '%s' ${quoteWord(script.stdout ?? "")}\nexit ${script.exit ?? 0}\n`;
  }
  const choices = Object.entries(EMPTY_REPLIES).map(
    ([action, reply]) => `*'"action":"${action}"'*) printf '%s' ${quoteWord(reply)};;`,
  );
  return `question=$(cat)\ncase "$question" in ${choices.join(" ")} esac\n`;
}

function writeSeed(path: string, file: SeedFile, fillIn: (text: string) => string, nowMs: number): void {
  if (typeof file === "object" && "directory" in file) {
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (typeof file === "string") writeFileSync(path, fillIn(file));
  else if ("base64" in file) writeFileSync(path, Buffer.from(file.base64, "base64"));
  else {
    writeFileSync(path, fillIn(file.text), file.mode === undefined ? {} : { mode: file.mode });
    if (file.age !== undefined) utimesSync(path, nowMs / 1000 - file.age, nowMs / 1000 - file.age);
  }
}
