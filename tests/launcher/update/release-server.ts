import { spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../../temporary-directory.ts";

const keys = generateKeyPairSync("ed25519");
export const PRIVATE_KEY = keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
export const PUBLIC_KEY = keys.publicKey.export({ format: "der", type: "spki" }).toString("base64");

export interface PublishedFiles {
  [name: string]: Uint8Array | string;
}

/** A place that offers releases over HTTP, on this machine. */
export class ReleaseServer {
  readonly requests: string[] = [];
  private readonly releases: object[] = [];
  private readonly files = new Map<string, Uint8Array | string>();
  private server: Server | undefined;
  source = "";

  static async start(): Promise<ReleaseServer> {
    const started = new ReleaseServer();
    const server = createServer((request, response) => {
      const path = request.url ?? "";
      started.requests.push(path);
      const content = path === "/releases" ? JSON.stringify(started.releases) : started.files.get(path);
      response.writeHead(content === undefined ? 404 : 200);
      response.end(content ?? "");
    });
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    started.server = server;
    started.source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return started;
  }

  /** Offers a release; `change` may spoil its files before they are put up. */
  publish(version: string, more: object = {}, change: (files: PublishedFiles) => void = () => {}): void {
    const files = signRelease(version, packRelease(version));
    change(files);
    this.offer(version, files, more);
  }

  offer(version: string, files: PublishedFiles, more: object = {}): void {
    for (const [file, content] of Object.entries(files)) {
      this.files.set(`/releases/download/v${version}/${file}`, content);
    }
    this.releases.push({ tag_name: `v${version}`, draft: false, prerelease: false, ...more });
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** The files of a release with this archive. */
export function signRelease(version: string, archive: Uint8Array): PublishedFiles {
  const name = `amplihack-${version}.tgz`;
  const sums = `${createHash("sha256").update(archive).digest("hex")}  ${name}\n`;
  return {
    [name]: archive,
    SHA256SUMS: sums,
    "SHA256SUMS.sig": sign(null, Buffer.from(sums), keys.privateKey),
  };
}

/** A program of that version that says so, and writes down how it was installed. */
function packRelease(version: string): Uint8Array {
  const folder = temporaryDirectory();
  const bin = join(folder, "package/dist/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(folder, "package/package.json"), JSON.stringify({ name: "amplihack", version }));
  writeFileSync(
    join(bin, "amplihack.cjs"),
    `const words = process.argv.slice(2);
if (words[0] === "version") console.log(JSON.stringify({ name: "amplihack", version: "${version}" }));
else require("node:fs").appendFileSync(process.env.HOME + "/ran-${version}", words.join(" ") + "\\n");
`,
  );
  chmodSync(join(bin, "amplihack.cjs"), 0o755);
  const long = join(folder, "package", "a-long-folder-name/".repeat(8));
  mkdirSync(long, { recursive: true });
  writeFileSync(join(long, "file.txt"), "deep");
  const archive = join(folder, "release.tgz");
  const { status, stderr } = spawnSync("tar", ["-czf", archive, "-C", folder, "package"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(archive);
}
