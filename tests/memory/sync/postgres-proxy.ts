import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const SOCKET = ".s.PGSQL.5432";

export interface Proxy {
  /** in place of the server's folder */
  readonly folder: string;
  /** The n-th answer of the server from now on is not handed on: every connection ends, and `then` runs first. */
  cutAt(answer: number, then?: () => void): void;
  /** how many answers there were since then */
  readonly answers: number;
}

/** Stands between programs and a PostgreSQL server on a socket. */
export async function startProxy(serverFolder: string): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), "amplihack-tests-proxy-"));
  const open = new Set<Socket>();
  let answers = 0;
  let cut = Number.POSITIVE_INFINITY;
  let onCut: () => void = () => {};
  const server = createServer(client => {
    const upstream = connect(join(serverFolder, SOCKET));
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", chunk => {
      answers += 1;
      if (answers < cut) {
        client.write(chunk);
        return;
      }
      onCut();
      for (const socket of open) socket.destroy();
    });
  });
  await new Promise<void>(resolve => server.listen(join(folder, SOCKET), resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    cutAt(answer, then = () => {}) {
      answers = 0;
      cut = answer;
      onCut = then;
    },
    get answers() {
      return answers;
    },
  };
}
