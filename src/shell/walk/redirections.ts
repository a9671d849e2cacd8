import type { Redirection } from "../facts.ts";
import { joinPath } from "../paths.ts";
import { readContents, writeContents } from "../state/file-contents.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { spanOf } from "../state/session.ts";
import { type Descriptor, scalar } from "../state/state.ts";
import type { Output, Scope } from "../state/types.ts";
import { assign } from "../state/variables.ts";
import type { HereDoc, Redirect, RedirectionNode } from "../syntax/syntax.ts";
import { concatenate, knownText, type Span, text, type Value } from "../value.ts";
import { reveal } from "../words/expand.ts";
import { resolveQuoted, resolveSingle } from "../words/resolve.ts";

/** What the redirections of one command do to its streams. */
export interface Streams {
  /** Alternatives of stdin; one undefined entry when it is the shell's own. */
  readonly stdins: readonly (Value | undefined)[];
  /** Files that get stdout; undefined when it goes where the surrounding one goes. */
  readonly stdoutFiles: readonly OutputFile[] | undefined;
  /** Stdout does not reach the pipe: it is in a file, closed, or joined to stderr. */
  readonly isDiverted: boolean;
  /** All descriptors as this command sees them. */
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  readonly redirections: readonly Redirection[];
}

interface OutputFile {
  readonly path: Value;
  readonly isAppend: boolean;
  readonly span: Span;
}

const OPERATIONS: Readonly<Record<Redirect["operator"], Redirection["operation"] | undefined>> = {
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">&": "write",
  ">>": "append",
  "&>>": "append",
  "<": "read",
  "<>": "read-write",
  "<&": undefined,
};

/** Evaluates redirections from left to right. They become facts with `recordRedirections`. */
export function openStreams(nodes: readonly RedirectionNode[], cwd: Value, scope: Scope): Streams {
  if (nodes.length === 0) return inheritedStreams(scope);
  let stdins: readonly (Value | undefined)[] = [scope.stdin];
  let stdoutFiles: readonly OutputFile[] | undefined;
  let isDiverted = false;
  const descriptors = new Map(scope.state.descriptors);
  const redirections: Redirection[] = [];

  const feed = (descriptor: number | undefined, contents: readonly Value[]) => {
    const [first] = contents;
    if (descriptor === 0 || descriptor === undefined) stdins = contents;
    else if (first !== undefined) {
      descriptors.set(descriptor, { ...descriptors.get(descriptor), content: first });
      scope.state.files.set(`/dev/fd/${descriptor}`, { contents });
    }
  };

  const redirect = (node: Redirect) => {
    const span = spanOf(scope.source, node);
    const descriptor = descriptorOf(node, scope);
    const targets = node.target === undefined ? [] : resolveSingle(node.target, scope, true);
    for (const target of targets) {
      const known = knownText(target);
      const copied =
        node.operator === ">&" || node.operator === "<&" ? /^(\d+)-?$|^-$/.exec(known ?? "") : null;
      if (copied !== null || node.operator === "<&") {
        const from = copied?.[1] === undefined ? undefined : Number(copied[1]);
        const copy =
          from === undefined ? undefined : from === 0 ? { content: scope.stdin } : descriptors.get(from);
        if (node.operator === ">&" && descriptor === 1 && from !== 1) {
          isDiverted = true;
          stdoutFiles = copy?.path === undefined ? undefined : [{ path: copy.path, isAppend: true, span }];
        } else if (node.operator === "<&" && copy?.content !== undefined)
          feed(descriptor ?? 0, [copy.content]);
        continue;
      }
      const operation = OPERATIONS[node.operator] ?? "read";
      redirections.push({
        operation,
        descriptor,
        target,
        cwd,
        place: scope.place,
        invocation: undefined,
        span,
      });
      if (operation === "read" || operation === "read-write")
        feed(descriptor, readContents(target, cwd, scope.stdin, scope));
      if (operation !== "read" && descriptor !== undefined && descriptor > 2) {
        descriptors.set(descriptor, { ...descriptors.get(descriptor), path: joinPath(cwd, target) });
      }
      if (descriptor === 1 && (operation === "write" || operation === "append")) {
        isDiverted = true;
        stdoutFiles = [
          ...(targets.length > 1 ? (stdoutFiles ?? []) : []),
          { path: target, isAppend: operation === "append", span },
        ];
      }
    }
  };

  for (const node of nodes) {
    if (node.type === "Redirect") redirect(node);
    else if (node.type === "HereDoc") feed(explicitDescriptor(node), readHereDocument(node, scope));
    else if (node.target !== undefined) {
      feed(explicitDescriptor(node), resolveSingle(node.target, scope).map(addNewline));
    }
  }
  return { stdins, stdoutFiles, isDiverted, descriptors, redirections };
}

function inheritedStreams({ stdin, state }: Scope): Streams {
  const { descriptors } = state;
  return { stdins: [stdin], stdoutFiles: undefined, isDiverted: false, descriptors, redirections: [] };
}

/** Makes facts of them. `invocation`: the id of the command they belong to, if any. */
export function recordRedirections(
  redirections: readonly Redirection[],
  cwds: readonly Value[],
  invocation: number | undefined,
  scope: Scope,
): readonly Redirection[] {
  if (redirections.length === 0) return redirections;
  const facts = cwds.flatMap(cwd => redirections.map(redirection => ({ ...redirection, cwd, invocation })));
  scope.session.redirections.push(...facts);
  return facts;
}

/** Puts the output where the redirections send it; gives what is left for the pipe. */
export function closeStreams(
  streams: Streams,
  output: Output,
  cwd: Value,
  scope: Scope,
  invocation: number,
): Output {
  for (const file of streams.stdoutFiles ?? []) {
    writeContents(file.path, output, file.isAppend, { cwd, scope, invocation, span: file.span });
  }
  return streams.isDiverted ? NO_OUTPUT : output;
}

function explicitDescriptor(node: RedirectionNode): number | undefined {
  return node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : undefined;
}

/** `{name}>file` opens a new descriptor and puts its number into the variable. */
function descriptorOf(node: Redirect, scope: Scope): number | undefined {
  if (node.descriptor?.type === "FileDescriptorVariable") {
    const number = 10 + scope.state.descriptors.size;
    assign(node.descriptor.name, [scalar(text(String(number)))], scope);
    return number;
  }
  if (node.descriptor !== undefined) return explicitDescriptor(node);
  return node.operator.startsWith("<") ? 0 : 1;
}

function addNewline(value: Value): Value {
  return concatenate([value, text("\n")]);
}

function readHereDocument(node: HereDoc, scope: Scope): readonly Value[] {
  const { body } = node;
  const strip = (value: Value) => (node.operator === "<<-" ? stripTabs(value) : value);
  if (node.delimiter?.quoted === true) return [strip(reveal(body.text, scope, true))];
  if (body.parts !== undefined) return resolveQuoted(body.parts, scope).map(strip);
  const content = body.text.replace(/\\([\\$`]|\n)/g, (_, escaped: string) =>
    escaped === "\n" ? "" : escaped,
  );
  return [strip(reveal(content, scope, true))];
}

function stripTabs(value: Value): Value {
  let isLineStart = true;
  const pieces = value.pieces.map(piece => {
    if (piece.kind !== "text") {
      isLineStart = false;
      return piece;
    }
    const stripped = piece.text.replace(/\n\t+/g, "\n");
    const content = isLineStart ? stripped.replace(/^\t+/, "") : stripped;
    isLineStart = piece.text.endsWith("\n");
    return { ...piece, text: content };
  });
  return { pieces, origins: value.origins };
}
