import type { Node } from "../syntax/tree.ts";

const WAITS =
  /^(?:wait\w*|sleep\w*|usleep|join|communicate|poll|accept|recv\w*|read\w*|gets|input|select|break|last|return|exit|die|quit)$/;
const MAX_DEPTH = 40;

/** A body whose condition always holds and in which nothing waits: `while True: os.fork()`. */
export function neverEnds(body: readonly Node[]): boolean {
  const [condition, ...rest] = body;
  return condition !== undefined && alwaysHolds(condition) && !waits(rest);
}

function alwaysHolds(node: Node): boolean {
  switch (node.kind) {
    case "number":
      return !/^0+$/.test(node.text);
    case "name":
      // `fork while fork`
      return /^(?:true|\$true|fork)$/i.test(node.name);
    case "block":
      return node.body.length === 1 && node.body.every(alwaysHolds);
    case "call":
      return node.callee.kind === "name" && node.callee.name === "fork";
    default:
      return false;
  }
}

/** Something in these statements stops or waits; what functions of their own do does not count. */
export function waits(nodes: readonly Node[], depth = 0): boolean {
  return depth > MAX_DEPTH || nodes.some(node => isWaiting(node) || waits(childrenOf(node), depth + 1));
}

/** Where a name alone is a call: `while true do fork end`. */
export function namesFork(nodes: readonly Node[], depth = 0): boolean {
  return nodes.some(
    node =>
      (node.kind === "name" && node.name === "fork") ||
      (depth < MAX_DEPTH && namesFork(childrenOf(node), depth + 1)),
  );
}

function isWaiting(node: Node): boolean {
  if (node.kind === "return") return true;
  if (node.kind === "name") return WAITS.test(node.name);
  return node.kind === "member" && WAITS.test(node.name);
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "member":
      return [node.object];
    case "index":
      return [node.object, node.index];
    case "call":
      return [node.callee, ...node.arguments.map(({ value }) => value)];
    case "list":
      return node.items.map(({ value }) => value);
    case "operation":
      return node.operands;
    case "choice":
      return node.options;
    case "assign":
      return [node.value];
    case "each":
    case "block":
      return node.body;
    case "other":
      return node.parts;
    default:
      return [];
  }
}
