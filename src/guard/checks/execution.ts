import {
  hasTrait,
  isOpenShell,
  opensDescriptors,
  startedAddress,
  unpacksOutput,
} from "../../programs/index.ts";
import {
  type CodeRun,
  describe,
  type Invocation,
  knownText,
  type Origin,
  text,
  type Value,
} from "../../shell/index.ts";
import { actorAt, actorOf, commandLine } from "../actor.ts";
import { lossOfTree } from "../deletion.ts";
import type { Actor } from "../effects.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { hasMixedScripts, hostIn, mayMixScripts } from "./homograph.ts";
import { inspectDevices, inspectSocketShell } from "./socket-shell.ts";

export function inspectExecution(context: RuleContext): void {
  for (const run of context.facts.codeRuns) inspectRun(run, context);
  for (const invocation of context.facts.invocations) {
    const address = startedAddress(invocation);
    if (address !== undefined) context.report("exec.remote", actorOf(invocation), address, { url: address });
    inspectDownloaded(invocation, context);
    inspectSocketShell(invocation, context);
    if (invocation.program === undefined) inspectComputed(invocation, context);
    inspectAddresses(invocation, context);
    if (isFedLater(invocation, context))
      context.report("exec.computed", actorOf(invocation), commandLine(invocation));
  }
  for (const { call, invocation } of context.facts.codeEffects)
    if (call.kind === "network") reportHost(context, describe(call.target), true, invocation);
  inspectDevices(context);
}

/** Where the code that runs came from: the network, a decoder, an archive. */
function inspectRun(run: CodeRun, context: RuleContext): void {
  const by = actorAt(context, run.invocation);
  const sourcesOf = (kind: Origin["kind"]): readonly Invocation[] =>
    run.code.origins.flatMap(origin => {
      const source = "invocation" in origin ? context.facts.invocations[origin.invocation] : undefined;
      return origin.kind === kind && source !== undefined ? [source] : [];
    });
  const programs = sourcesOf("program");
  const decoders = sourcesOf("decoded");
  const remote = sourcesOf("network")[0] ?? programs.find(({ program }) => hasTrait(program, "fetches"));
  const isHidden = !run.isExamined && decoders.some(({ program }) => hasTrait(program, "decodes"));
  const decoder = decoders[0] ?? programs.find(unpacksOutput);
  // What such a program reads from the network comes from a socket, and what is run goes back to it.
  if (hasTrait(remote?.program, "readsSockets") && remote !== undefined)
    context.report("exec.netshell", by, commandLine(remote));
  else if (remote !== undefined && !isHidden) reportRemote(context, remote, by);
  else if (decoder !== undefined) {
    const verdict = run.isExamined ? "ask" : undefined;
    const line = commandLine(decoder);
    // Code that decodes and runs in one step cannot be asked for its text alone.
    const safer = decoder.id === run.invocation || /[()'"`;&<>$]/.test(line) ? "less script.sh" : undefined;
    context.report("exec.decoded", by, line, { decoder: line, verdict, safer });
  }
}

function reportRemote(context: RuleContext, source: Invocation, by: Actor | undefined): void {
  const line = commandLine(source);
  const found = /[a-z][a-z0-9+.-]*:\/\/[^\s'")]+/i.exec(line)?.[0];
  const url = found ?? line;
  const isFake = hasMixedScripts(hostIn(url, true) ?? "");
  const isUnfit = isFake || (found === undefined && /[()'"`;&<>$]/.test(line));
  context.report("exec.remote", by, url, { url: isUnfit ? "URL" : url });
  if (/^[a-z]+:\/\/[^/\s]*:[^/\s]*@/i.test(url)) context.report("net.homograph", by, url);
}

/** The invocation that fetched a value from the network. */
function fetcherOf(value: Value | undefined, { facts }: RuleContext): Invocation | undefined {
  const origin = value?.origins.find(({ kind }) => kind === "network");
  return origin !== undefined && "invocation" in origin ? facts.invocations[origin.invocation] : undefined;
}

/** `curl -o x …; chmod +x x; ./x`: the program itself is a file that just came. */
function inspectDownloaded(invocation: Invocation, context: RuleContext): void {
  const [written] = invocation.argv;
  const word = written === undefined ? undefined : forwardSlashes(written);
  if (word === undefined || !describe(word).includes("/")) return;
  const by = actorOf(invocation);
  for (const { path } of targetsOf(context, word, by, true)) {
    const source = context.facts.writtenFiles
      .filter(file => file.invocation < invocation.id && path !== undefined && knownText(file.path) === path)
      .map(file => fetcherOf(file.content, context))
      .find(fetcher => fetcher !== undefined);
    if (source !== undefined) reportRemote(context, source, by);
  }
}

/** `.\\script.ps1`, as the shells of Windows write a file. */
function forwardSlashes(word: Value): Value {
  const known = knownText(word);
  return known?.startsWith(".\\") === true ? text(known.replaceAll("\\", "/"), word.origins) : word;
}

const DESTRUCTIVE_WORD =
  /^(-[a-zA-Z]*[rR][a-zA-Z]*f[a-zA-Z]*|-[a-zA-Z]*f[a-zA-Z]*[rR][a-zA-Z]*|-[rR]|--recursive|--hard|--force|--no-preserve-root|--delete|--mirror)$/;

function inspectComputed(invocation: Invocation, context: RuleContext): void {
  const { workspace } = context;
  const by = actorOf(invocation);
  const fetcher = fetcherOf(invocation.argv[0], context);
  if (fetcher !== undefined) reportRemote(context, fetcher, by);
  const isReported = invocation.argv.slice(1).some(word => {
    const shown = describe(word);
    if (DESTRUCTIVE_WORD.test(shown)) return true;
    if (workspace.settings.level === "strict" && isPathLike(context, word, by)) return true;
    return targetsOf(context, word, by, false).some(
      target =>
        target.path !== undefined &&
        !shown.startsWith("-") &&
        lossOfTree(workspace, target).some(({ rule }) => rule === "fs.root" || rule === "fs.home"),
    );
  });
  if (isReported) context.report("exec.computed", by, commandLine(invocation));
}

/** Written like a path, or the name of something that is there. */
function isPathLike(context: RuleContext, word: Value, by: Actor): boolean {
  if (/[/.]/.test(describe(word))) return true;
  return targetsOf(context, word, by, false).some(
    ({ path }) => path !== undefined && context.workspace.disk.kind(path) !== undefined,
  );
}

/** `coproc bash`, `exec 3> >(bash)`: a shell that runs whatever later commands write to it. */
function isFedLater(invocation: Invocation, { facts }: RuleContext): boolean {
  if (!isOpenShell(invocation)) return false;
  const { isBackground, stdin, pipeline, redirections } = invocation;
  if (isBackground && stdin === undefined && pipeline === undefined && redirections.length === 0) return true;
  return (
    stdin?.origins.some(origin => {
      const source = origin.kind === "program" ? facts.invocations[origin.invocation] : undefined;
      return source !== undefined && opensDescriptors(source);
    }) === true
  );
}

function inspectAddresses(invocation: Invocation, context: RuleContext): void {
  const isBare = (["namesHosts", "fetches", "socket"] as const).some(trait =>
    hasTrait(invocation.program, trait),
  );
  for (const word of invocation.argv.slice(1)) reportHost(context, describe(word), isBare, invocation.id);
}

function reportHost(context: RuleContext, word: string, isBare: boolean, invocation: number): void {
  const host = mayMixScripts(word) ? hostIn(word, isBare) : undefined;
  if (host !== undefined && hasMixedScripts(host))
    context.report("net.homograph", actorAt(context, invocation), host);
}
