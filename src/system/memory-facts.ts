import type { DiskNode } from "./memory-disk.ts";
import type { ExactFacts, FileFacts } from "./system.ts";
import { utf8 } from "./utf8.ts";

const BLOCK_BYTES = 4096;
/** in a millisecond */
const NANOSECONDS = 1_000_000n;

export function toNanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms)) * NANOSECONDS;
}

function identityOf(node: DiskNode): string {
  return `1:${node.id}`;
}

/** As `inspect` and `follow` tell them. */
export function factsOf(node: DiskNode): FileFacts {
  const { kind, mode, uid } = node;
  const modifiedMs = Number(node.modifiedNs / NANOSECONDS);
  return { kind, size: sizeOf(node), mode, uid, modifiedMs, identity: identityOf(node) };
}

export function exactFactsOf(node: DiskNode): ExactFacts {
  const { kind, mode, links } = node;
  const size = sizeOf(node);
  const modifiedNs = String(node.modifiedNs);
  const identity = identityOf(node);
  return {
    kind,
    size,
    allocatedBytes: Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES,
    mode,
    modifiedNs,
    identity,
    links,
    stamp: `${identity}:${size}:${modifiedNs}:${node.changed}`,
  };
}

function sizeOf(node: DiskNode): number {
  if (node.kind === "file") return node.bytes.length;
  return node.kind === "symlink" ? utf8.encode(node.target).length : 0;
}
