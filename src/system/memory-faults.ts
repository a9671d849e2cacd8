import { isInside } from "./paths.ts";
import { type Files, SystemError } from "./system.ts";

export type FileOperation = keyof Files;

/** Thrown by the operation during which a process is made to die, and by all that follow. Nothing catches it. */
export class ProcessDied extends Error {
  override readonly name = "ProcessDied";
}

interface PathFault {
  readonly path: string;
  readonly code: string;
  readonly operations: readonly FileOperation[] | undefined;
}

/** Things that go wrong with files, on request. Operations count from 1 at the moment of the request. */
export class Faults {
  /** how many file operations there have been */
  count = 0;
  private readonly failing = new Map<number, string>();
  private readonly paths: PathFault[] = [];
  private dyingAt = Number.POSITIVE_INFINITY;

  /** The n-th operation from now fails and does nothing, save that a full disk takes half of what is appended. */
  failAt(n: number, code: string): void {
    this.failing.set(this.count + n, code);
  }

  /** Operations on `path` and all below it fail, or only those named. */
  failUnder(path: string, code: string, operations?: readonly FileOperation[]): void {
    this.paths.push({ path, code, operations });
  }

  /** The process dies during the n-th operation from now: a write gets half-way, anything else does not happen. */
  dieAt(n: number): void {
    this.dyingAt = this.count + n;
  }

  clear(): void {
    this.failing.clear();
    this.paths.length = 0;
    this.dyingAt = Number.POSITIVE_INFINITY;
  }

  /**
   * Called before every operation. `true` when the process is to die in the middle of it; `onFailure` is told the code
   * of one that is to fail.
   */
  check(
    operation: FileOperation,
    description: string,
    touched: readonly string[],
    onFailure: (code: string) => void,
  ): boolean {
    this.count++;
    if (this.count > this.dyingAt) throw new ProcessDied(`${operation} after death`);
    if (this.count === this.dyingAt) return true;
    const code = this.failing.get(this.count) ?? this.codeFor(operation, touched);
    if (code === undefined) return false;
    onFailure(code);
    throw new SystemError(code, description, touched[0]);
  }

  private codeFor(operation: FileOperation, touched: readonly string[]): string | undefined {
    return this.paths.find(
      fault =>
        (fault.operations === undefined || fault.operations.includes(operation)) &&
        touched.some(path => isInside(fault.path, path)),
    )?.code;
  }
}
