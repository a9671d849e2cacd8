import { removeIfThere } from "../../../state/index.ts";
import { basename, dirname, join, type System } from "../../../system/index.ts";

const BATCH_CHARACTERS = 256 * 1024;
const COPY_BYTES = 512 * 1024;

/** A file that is written piece by piece beside its place and appears there whole, or not at all. */
export class StreamedFile {
  readonly path: string;
  private readonly temporary: string;
  private readonly system: System;
  private batch: string[] = [];
  private batchLength = 0;

  constructor(system: System, path: string) {
    this.system = system;
    this.path = path;
    this.temporary = join(dirname(path), `.${basename(path)}.${system.random.hex(16)}.tmp`);
    system.files.makeDirectory(dirname(path), 0o700);
    system.files.createExclusive(this.temporary, new Uint8Array(0), 0o600);
  }

  write(text: string): void {
    this.batch.push(text);
    this.batchLength += text.length;
    if (this.batchLength >= BATCH_CHARACTERS) this.flush();
  }

  /** Adds the bytes of another file, of which nothing is held but one piece. */
  writeFileContent(path: string): void {
    this.flush();
    const { files } = this.system;
    for (let offset = 0; ; ) {
      const bytes = files.readRange(path, offset, COPY_BYTES);
      if (bytes.length === 0) return;
      files.append(this.temporary, bytes, 0o600);
      offset += bytes.length;
    }
  }

  /** Puts what was written in this file behind what is in the other, and ends this one. */
  moveInto(other: StreamedFile): void {
    this.flush();
    other.writeFileContent(this.temporary);
    this.discard();
  }

  finish(): void {
    this.flush();
    this.system.files.rename(this.temporary, this.path);
    this.system.files.syncDirectory(dirname(this.path));
  }

  discard(): void {
    this.batch = [];
    removeIfThere(this.system.files, this.temporary);
  }

  private flush(): void {
    if (this.batch.length === 0) return;
    this.system.files.append(this.temporary, this.system.text.encode(this.batch.join("")), 0o600);
    this.batch = [];
    this.batchLength = 0;
  }
}
