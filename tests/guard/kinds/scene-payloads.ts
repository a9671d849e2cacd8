/**
 * Shapes of payloads (decisions 16.4): what an agent controls never reaches the failure policy. Each case is the words after
 * `amplihack-hooks` and the bytes on its stdin. `stop`: asked about or denied; `pass`: no opinion, and the run's own result is "ok";
 * `policy`: no tool call can be found in it, so the failure policy answers and the run's result is not "ok".
 */
export interface PayloadCase {
  readonly name: string;
  readonly words: readonly string[];
  readonly input: string | Uint8Array;
  readonly expected: "stop" | "pass" | "policy";
}

export const DANGER = "rm -rf ~";
const HARMLESS = "git status";
const PRE = ["pre-tool-use"];

export function payload(members: object, event = "PreToolUse"): object {
  return { session_id: "s-1", cwd: "/", hook_event_name: event, tool_use_id: "u-1", ...members };
}

export function bashWith(input: unknown, tool = "Bash"): string {
  return JSON.stringify(payload({ tool_name: tool, tool_input: input }));
}

/** JSON text, nested: the program's own reader is what is tried, so nothing here may recurse. */
export function nested(depth: number, inner: string, open = '{"a":', close = "}"): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

/** The payload with `text` in place of its tool input. */
export function withInput(text: string, tool = "Bash"): string {
  return JSON.stringify(payload({ tool_name: tool, tool_input: "@@" })).replace('"@@"', () => text);
}

const stop = (name: string, input: string | Uint8Array, words: readonly string[] = PRE): PayloadCase => ({
  name,
  words,
  input,
  expected: "stop",
});
const pass = (name: string, input: string | Uint8Array, words: readonly string[] = PRE): PayloadCase => ({
  name,
  words,
  input,
  expected: "pass",
});

function manyKeys(count: number, last: string): string {
  const keys = Array.from({ length: count }, (_, index) => `"k${index}":${index}`);
  return `{${keys.join(",")},${last}}`;
}

const COMMAND = `"command":${JSON.stringify(DANGER)}`;
const quoted = JSON.stringify(DANGER);

const KINDS: readonly PayloadCase[] = [
  stop("input is a list of words", bashWith(["rm", "-rf", "~"])),
  stop("input is a list with an object", bashWith([{ command: DANGER }])),
  stop("input is a list of lists", bashWith([[DANGER]])),
  stop("input is the command itself", bashWith(DANGER)),
  stop("input is JSON in a string", bashWith(JSON.stringify({ command: DANGER }))),
  stop(
    "input is JSON in a string in a string",
    bashWith(JSON.stringify(JSON.stringify({ command: DANGER }))),
  ),
  stop("command is a list", bashWith({ command: ["rm", "-rf", "~"] })),
  stop("command is a list of one", bashWith({ command: [DANGER] })),
  stop("command is a list in a shell", bashWith({ command: ["bash", "-lc", DANGER] })),
  stop("command is an object", bashWith({ command: { text: DANGER } })),
  stop("command is an object with numbers", bashWith({ command: { 0: "rm", 1: "-rf", 2: "~" } })),
  stop("input is null for a shell", bashWith(null)),
  stop("input is a number for a shell", bashWith(42)),
  stop("input is true for a shell", bashWith(true)),
  stop("input is an empty list for a shell", bashWith([])),
  stop("command is a number", bashWith({ command: 7 })),
  stop("command is null", bashWith({ command: null })),
  stop("other member names", bashWith({ cmd: DANGER })),
  stop("script member", bashWith({ script: DANGER })),
  stop("upper case member", bashWith({ Command: DANGER })),
  stop("two spellings, the harmless one first", bashWith({ command: HARMLESS, Command: DANGER })),
  stop("an input inside the input", bashWith({ input: { command: DANGER } })),
  stop("__proto__", withInput(`{"__proto__":{${COMMAND}}}`)),
  stop("constructor", withInput(`{"constructor":{"prototype":{${COMMAND}}},${COMMAND}}`)),
  stop("twice, the harmless one first", withInput(`{"command":"ls",${COMMAND}}`)),
  stop("the tool's name in lower case", bashWith({ command: DANGER }, "bash")),
  stop("an unknown tool with a command", bashWith({ command: DANGER }, "Frobnicate")),
  stop("an MCP tool with a command", bashWith({ command: DANGER }, "mcp__x__run")),
  stop("an MCP tool with a list", bashWith({ argv: ["rm", "-rf", "~"] }, "mcp__shell__exec")),
  pass("a list of harmless words", bashWith(["git", "status"])),
  pass("a harmless command in a string", bashWith(JSON.stringify({ command: HARMLESS }))),
  pass("a harmless list as command", bashWith({ command: ["git", "status"] })),
  pass("a harmless command", bashWith({ command: HARMLESS })),
  pass(
    "a harmless command with extra members",
    bashWith({ command: HARMLESS, description: "look", timeout: 1000, run_in_background: false }),
  ),
];

const SIZES: readonly PayloadCase[] = [
  ...[50, 500, 2_000, 10_000, 100_000].flatMap(depth => [
    stop(`${depth} levels around the command`, withInput(nested(depth, `{${COMMAND}}`))),
    stop(`${depth} levels beside the command`, withInput(`{${COMMAND},"x":${nested(depth, "1")}}`)),
    stop(
      `${depth} levels of lists before the command`,
      withInput(`{"x":${nested(depth, "1", "[", "]")},${COMMAND}}`),
    ),
  ]),
  stop("2000 levels of lists around", withInput(nested(2_000, quoted, "[", "]"))),
  stop("10 000 keys before the command", withInput(manyKeys(10_000, COMMAND))),
  stop("100 000 keys before the command", withInput(manyKeys(100_000, COMMAND))),
  stop("a key of a million letters", withInput(`{"${"k".repeat(1_000_000)}":1,${COMMAND}}`)),
  stop("a million spaces before", bashWith({ command: " ".repeat(1_000_000) + DANGER })),
  stop(
    "a million letters of a comment before",
    bashWith({ command: `# ${"x".repeat(1_000_000)}\n${DANGER}` }),
  ),
  stop("a million letters after", bashWith({ command: `${DANGER} # ${"x".repeat(1_000_000)}` })),
  stop(
    "five million letters of another member",
    bashWith({ command: DANGER, description: "d".repeat(5_000_000) }),
  ),
  stop(
    "thirty million letters of another member",
    bashWith({ command: DANGER, description: "d".repeat(30_000_000) }),
  ),
  stop("100 000 lines", bashWith({ command: `${"true\n".repeat(100_000)}${DANGER}` })),
  stop(
    "20 000 arms of a case",
    bashWith({ command: `case x in ${"a) true;; ".repeat(20_000)} esac; ${DANGER}` }),
  ),
  stop("3 000 heredocs", bashWith({ command: `${"cat <<E\nx\nE\n".repeat(3_000)}${DANGER}` })),
  stop(
    "a list of 50 000 words",
    bashWith({ command: ["rm", "-rf", "~", ...Array.from({ length: 50_000 }, () => "x")] }),
  ),
  stop("a number of 100 000 digits beside", withInput(`{${COMMAND},"n":${"9".repeat(100_000)}}`)),
  pass("1 000 harmless keys", withInput(manyKeys(1_000, '"command":"git status"'))),
  pass("20 harmless levels", withInput(`{"command":"git status","x":${nested(20, "1")}}`)),
  pass("a long harmless description", bashWith({ command: HARMLESS, description: "d".repeat(20_000) })),
];

function bytes(...parts: readonly (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(parts.map(part => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
}

const plain = bashWith({ command: DANGER });
const [before = "", after = ""] = bashWith({ command: `echo @@; ${DANGER}` }).split("@@");

const ENCODINGS: readonly PayloadCase[] = [
  stop("a byte order mark", `\ufeff${plain}`),
  stop("UTF-16, little end first", bytes([0xff, 0xfe], [...Buffer.from(plain, "utf16le")])),
  stop("a byte that is no UTF-8 in the command", bytes(before, [0xff], after)),
  stop("a cut character in the command", bytes(before, [0xe2, 0x82], after)),
  stop("an overlong slash in the command", bytes(before, [0xc0, 0xaf], after)),
  stop("a surrogate in UTF-8", bytes(before, [0xed, 0xa0, 0x80], after)),
  stop("a lone surrogate, escaped", withInput(`{"command":"echo \\ud800; ${DANGER}"}`)),
  stop("a NUL, escaped", withInput(`{"command":"echo \\u0000; ${DANGER}"}`)),
  stop("a raw NUL in the command", bytes(before, [0], after)),
  stop("a raw tab in the command", bytes(before, [9], after)),
  stop("a raw line break in the command", bytes(before, [10], after)),
  stop(
    "every letter escaped",
    withInput(
      `{"command":"${[...DANGER].map(c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"}`,
    ),
  ),
  stop("the member's name escaped", withInput(`{"\\u0063ommand":${quoted}}`)),
  stop("white space around", `\r\n\t ${plain} \r\n\n`),
  stop("line breaks of Windows in the command", bashWith({ command: `echo a\r\n${DANGER} \r\n` })),
  pass("a byte order mark, harmless", `\ufeff${bashWith({ command: HARMLESS })}`),
  pass("letters escaped, harmless", withInput('{"command":"git \\u0073tatus"}')),
  pass("other scripts, harmless", bashWith({ command: "echo 'żółć 日本 🙂'" })),
];

export const HOSTS =
  "claude-code copilot-cli vscode-copilot gemini-cli antigravity codex cursor windsurf devin cline kiro qwen-code factory-droid augment goose atomcode amplifier opencode pi".split(
    " ",
  );
export const EVENTS = [
  "BeforeTool",
  "preToolUse",
  "tool.execute.before",
  "tool_call",
  "beforeShellExecution",
  "Stop",
  "Banana",
  "",
];

/** Claude's form, with an event word and a `--host` that do not belong together. */
export function foreign(hosts: readonly string[], events: readonly string[]): readonly PayloadCase[] {
  return hosts.flatMap((host, index) => {
    const event = events[index % events.length] ?? "";
    const other = events[(index + 3) % events.length] ?? "";
    const call = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
    return [
      stop(
        `--host ${host} with the event ${JSON.stringify(event.slice(0, 30))}`,
        JSON.stringify(payload(call(DANGER), event)),
        [...PRE, "--host", host],
      ),
      stop(
        `--host ${host} with the event ${JSON.stringify(other.slice(0, 30))}`,
        JSON.stringify(payload(call(DANGER), other)),
        [...PRE, "--host", host],
      ),
      stop(
        `--host ${host} without an event`,
        JSON.stringify({ session_id: "s", cwd: "/", ...call(DANGER) }),
        [...PRE, "--host", host],
      ),
      pass(
        `--host ${host}, harmless, with the event ${JSON.stringify(event.slice(0, 30))}`,
        JSON.stringify(payload(call(HARMLESS), event)),
        [...PRE, "--host", host],
      ),
    ];
  });
}

const NONE: readonly PayloadCase[] = (
  [
    ["empty", ""],
    ["an empty object", "{}"],
    ["a list", "[]"],
    ["a number", "7"],
    ["cut off", plain.slice(0, 30)],
    ["no JSON", "hello"],
    ["without tool and input", JSON.stringify(payload({}))],
  ] as const
).map(([name, input]) => ({ name: `none to be found: ${name}`, words: PRE, input, expected: "policy" }));

export const CASES: readonly PayloadCase[] = [
  ...KINDS,
  ...SIZES,
  ...ENCODINGS,
  ...foreign(
    HOSTS.filter((_, index) => index % 3 !== 2),
    EVENTS.slice(0, 6),
  ),
  ...NONE,
];
