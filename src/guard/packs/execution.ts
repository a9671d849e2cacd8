import type { CodeRun, Invocation } from "../../shell/facts.ts";
import { components } from "../../shell/paths.ts";
import { describe, knownText, type Origin, type Value } from "../../shell/value.ts";
import { actorOf, NOTHING } from "../checks/actor.ts";
import { inspectDevices, inspectSocketShell } from "../checks/socket-shell.ts";
import type { Actor } from "../effects.ts";
import { lossOfTree } from "../paths/deletion.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type RuleContext, targetsOf } from "../rule-context.ts";
import { wordSet } from "../words.ts";
import { hasMixedScripts } from "./homograph.ts";

const RULES: readonly Rule[] = [
  {
    id: "exec.remote",
    title: "runs code from the network",
    verdict: "ask",
    when: "Bytes from the network run as code: piped into a shell or interpreter, or saved and started in the same command.",
    lost: "It would run whatever {target} sends at that moment, and nobody has read it.",
    safer: "curl -fsSL {url} -o script.sh && less script.sh",
  },
  {
    id: "exec.decoded",
    title: "runs decoded text",
    verdict: "deny",
    when: "Decoded or computed text runs as code and cannot be read beforehand; text that can be read is judged by what it does, and asks.",
    lost: "It would run text that was hidden by an encoding ({target}), so that nobody sees what it does.",
    safer: "{decoder} > script.sh && less script.sh",
  },
  {
    id: "exec.netshell",
    title: "gives a shell to the network",
    verdict: "deny",
    isAllowable: false,
    when: "A shell is attached to a socket: /dev/tcp, nc -e, socat EXEC, a fifo loop, or the same in program code.",
    lost: "It would give anybody at the other end of {target} a shell on this machine.",
    safer: "ssh user@host",
  },
  {
    id: "exec.computed",
    title: "runs a program nobody can name",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "The name of the program stays unknown and its arguments look destructive; at level strict, any path argument is enough.",
    lost: "It would run {target}, and nobody can tell which program that is.",
    safer: "echo {target}",
  },
  {
    id: "net.homograph",
    title: "goes to a look-alike address",
    verdict: "ask",
    when: "The host of a URL mixes scripts or uses letters that look like Latin ones; or a URL with credentials is piped to a shell.",
    lost: "It would talk to {target}, whose name only looks like the one it imitates.",
    safer: "getent hosts {target}",
  },
];

/** What they give is not what went in, and nobody can read what went in. */
const HIDING = wordSet("base64 base32 basenc openssl xxd uudecode gpg python python3 perl ruby node");

/** Rarer programs that print what is at an address. */
const FETCHING = wordSet("fetch lynx w3m links elinks aria2c axel lwp-request GET ftp tftp gopher");
const UNPACKING = wordSet(
  "gunzip zcat gzcat gzip bunzip2 bzcat bzip2 unxz xzcat xz zstdcat unzstd zstd lz4 uncompress unzip 7z funzip",
);

export const execution: Pack = {
  name: "execution-network",
  rules: RULES,
  inspectWhole(context) {
    for (const run of context.facts.codeRuns) inspectRun(run, context);
    for (const invocation of context.facts.invocations) {
      inspectDownloaded(invocation, context);
      inspectSocketShell(invocation, context);
      inspectComputed(invocation, context);
      inspectAddresses(invocation, context);
    }
    inspectDevices(context);
  },
};

function inspectRun(run: CodeRun, context: RuleContext): void {
  const { origins } = run.code;
  const by = actorOf(context, run.invocation);
  const remote = origins.find(
    (origin): origin is Extract<Origin, { invocation: number }> =>
      origin.kind === "network" || (origin.kind === "program" && FETCHING.has(programOf(context, origin))),
  );
  const decoded = origins.filter(origin => origin.kind === "decoded");
  const unpacked = origins.filter(origin => origin.kind === "program" && unpacks(context, origin));
  const hides = decoded.find(origin => HIDING.has(programOf(context, origin)));
  // What awk reads from the network comes from a socket, and what is run goes back to it.
  const isSocket = remote !== undefined && /^[gmn]?awk$/.test(programOf(context, remote));
  if (isSocket) context.report("exec.netshell", { target: lineOf(context, remote.invocation) }, by);
  else if (remote !== undefined && (hides === undefined || run.isExamined))
    reportRemote(context, remote.invocation, by);
  else if (decoded.length > 0 || unpacked.length > 0) {
    const decoder = decoded[0] ?? unpacked[0];
    const shown =
      decoder === undefined || !("invocation" in decoder) ? "" : lineOf(context, decoder.invocation);
    context.report(
      "exec.decoded",
      { target: shown, decoder: shown, verdict: run.isExamined ? "ask" : undefined },
      by,
    );
  }
}

/** Archives hide what is in them, and letters exchanged for others spell anything. */
function unpacks(context: RuleContext, origin: Extract<Origin, { invocation: number }>): boolean {
  const program = programOf(context, origin);
  if (UNPACKING.has(program)) return true;
  if (program === "tr") return translatesLetters(context, origin);
  const words = context.facts.invocations[origin.invocation]?.argv.slice(1).map(describe) ?? [];
  return (
    /^(g|bsd)?tar$/.test(program) &&
    words.some(
      (word, index) =>
        word === "--to-stdout" || (/^-?[a-zA-Z]*O/.test(word) && (index === 0 || word[0] === "-")),
    )
  );
}

/** `tr a-z n-za-m`; deleting or squeezing leaves the letters what they were. */
function translatesLetters(context: RuleContext, origin: Extract<Origin, { invocation: number }>): boolean {
  const words = context.facts.invocations[origin.invocation]?.argv.slice(1).map(describe) ?? [];
  const [from, to] = words.filter(word => !/^-[a-zA-Z-]/.test(word));
  return (
    from !== undefined &&
    to !== undefined &&
    /[a-z]/i.test(from.replace(/\[:\w+:\]/g, "")) &&
    /[a-z]/i.test(to.replace(/\[:\w+:\]/g, ""))
  );
}

function programOf(context: RuleContext, origin: Extract<Origin, { invocation: number }>): string {
  return context.facts.invocations[origin.invocation]?.program ?? "";
}

function lineOf(context: RuleContext, id: number): string {
  return context.facts.invocations[id]?.argv.map(describe).join(" ") ?? "";
}

function reportRemote(context: RuleContext, source: number, by: Actor | undefined): void {
  const line = lineOf(context, source);
  const url = /[a-z][a-z0-9+.-]*:\/\/[^\s'")]+/i.exec(line)?.[0] ?? line;
  context.report("exec.remote", { target: url, url }, by);
  if (/^[a-z]+:\/\/[^/\s]*:[^/\s]*@/i.test(url)) context.report("net.homograph", { target: url }, by);
}

/** `curl -o x …; chmod +x x; ./x`: the program itself is a file that just came. */
function inspectDownloaded(invocation: Invocation, context: RuleContext): void {
  const address = invocation.argv
    .slice(1)
    .map(describe)
    .find(word => /^https?:\/\//i.test(word));
  const first = describe(invocation.argv[1] ?? NOTHING);
  const isStarted =
    (invocation.program === "deno" && /^(run|test|bench|install|eval)$/.test(first)) ||
    (/^(npx|bunx|pnpx)$/.test(invocation.program ?? "") && first === address);
  if (isStarted && address !== undefined) {
    context.report("exec.remote", { target: address, url: address }, actorOf(context, invocation.id));
  }
  const [word] = invocation.argv;
  if (word === undefined || !describe(word).includes("/")) return;
  const by = actorOf(context, invocation.id);
  if (by === undefined) return;
  for (const target of targetsOf(context, word, by, true)) {
    const written = context.facts.writtenFiles.find(
      file =>
        file.invocation < invocation.id &&
        target.path !== undefined &&
        knownText(file.path) === target.path &&
        file.content.origins.some(origin => origin.kind === "network"),
    );
    const source = written?.content.origins.find(origin => origin.kind === "network");
    if (source !== undefined) reportRemote(context, source.invocation, by);
  }
}

const DESTRUCTIVE_WORD =
  /^(-[a-zA-Z]*[rR][a-zA-Z]*f[a-zA-Z]*|-[a-zA-Z]*f[a-zA-Z]*[rR][a-zA-Z]*|-[rR]|--recursive|--hard|--force|--no-preserve-root|--delete|--mirror)$/;

function inspectComputed(invocation: Invocation, context: RuleContext): void {
  const by = actorOf(context, invocation.id);
  if (invocation.program !== undefined || by === undefined) return;
  const fetched = invocation.argv[0]?.origins.find(origin => origin.kind === "network");
  if (fetched !== undefined) reportRemote(context, fetched.invocation, by);
  const words = invocation.argv.slice(1);
  const isStrict =
    context.workspace.settings.level === "strict" && words.some(word => isPathLike(context, word, by));
  const isDestructive = words.some(word => DESTRUCTIVE_WORD.test(describe(word)));
  const reaches = words.some(word =>
    targetsOf(context, word, by, false).some(
      target =>
        target.path !== undefined &&
        !describe(word).startsWith("-") &&
        components(word).length > 0 &&
        lossOfTree(context.workspace, target).some(
          loss => loss.rule === "fs.root" || loss.rule === "fs.home",
        ),
    ),
  );
  if (isDestructive || reaches || isStrict)
    context.report("exec.computed", { target: invocation.argv.map(describe).join(" ") }, by);
}

/** Written like a path, or the name of something that is there. */
function isPathLike(context: RuleContext, word: Value, by: Actor): boolean {
  if (/[/.]/.test(describe(word))) return true;
  return targetsOf(context, word, by, false).some(
    ({ path }) => path !== undefined && context.workspace.disk.kind(path) !== undefined,
  );
}

function inspectAddresses(invocation: Invocation, context: RuleContext): void {
  for (const word of invocation.argv.slice(1)) {
    const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/\s]*@)?([^/:?#\s]+)/i.exec(describe(word))?.[1];
    if (host !== undefined && hasMixedScripts(host))
      context.report("net.homograph", { target: host }, actorOf(context, invocation.id));
  }
}
