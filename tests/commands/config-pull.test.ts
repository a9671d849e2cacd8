import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../src/system/sha256.ts";
import { utf8 } from "../../src/system/utf8.ts";
import { newUserInside, type User } from "./run-command.ts";

const hashOf = (text: string) => sha256Hex(utf8.encode(text));
const POLICY = '{ "guard": { "level": "strict" } } // of everybody at Acme\n';
const place = (user: User, ...names: readonly string[]) => join(user.home, ".amplihack", ...names);

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

function userWith(...entries: readonly string[]): User {
  const user = newUserInside();
  write(place(user, "config.jsonc"), `{ // mine\n  "extends": ${JSON.stringify(entries)}\n}\n`);
  return user;
}

const levelOf = async (user: User) => (await user.json("config", "get", "guard.level"))["value"];
const entriesOf = async (user: User) =>
  (await user.json<{ value: readonly string[] }>("config", "get", "extends")).value;

/** Serves what the table holds at the moment; anything else is not found. */
async function serve(pages: Map<string, string | Uint8Array>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? "");
    response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("amplihack config pull", () => {
  it("has nothing to do where nothing is extended", async () => {
    expect(await newUserInside().type(["config", "pull"])).toMatchObject({ code: 0 });
  });

  it.each([
    ['"./p.jsonc"', "must be a list of texts"],
    ['[5, "./p.jsonc"]', "must be a list of texts"],
    [`["./none.jsonc#sha256-${"0".repeat(64)}"]`, "there is no file "],
    [`["./big.jsonc#sha256-${"0".repeat(64)}"]`, "is larger than 256 KB"],
    [`["./policies#sha256-${"0".repeat(64)}"]`, "is not a file"],
    [JSON.stringify(Array(17).fill("./none.jsonc")), "hooks read the first 16 policies only; there are 17"],
  ])("says what is wrong with %s", async (entries, message) => {
    const user = newUserInside();
    write(place(user, "config.jsonc"), `{ "extends": ${entries} }`);
    write(place(user, "big.jsonc"), " ".repeat(300_000));
    mkdirSync(place(user, "policies"));
    const { code, stdout, stderr } = await user.type(["config", "pull"]);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(message);
  });

  it("pins a new entry with --pin, keeps what it found and shows it as the source of values", async () => {
    const user = userWith("./policy.jsonc");
    write(place(user, "policy.jsonc"), POLICY);
    const looked = await user.type(["config", "pull"]);
    expect(looked).toMatchObject({ code: 1 });
    expect(looked.stdout).toContain(`write it as ./policy.jsonc#sha256-${hashOf(POLICY)}`);
    expect(await levelOf(user)).toBe("standard");
    expect((await user.type(["config", "pull", "--pin"])).code).toBe(0);
    expect(await entriesOf(user)).toEqual([`./policy.jsonc#sha256-${hashOf(POLICY)}`]);
    expect(readFileSync(place(user, "config.jsonc"), "utf8")).toContain("// mine");
    expect(statSync(place(user, "policies", `sha256-${hashOf(POLICY)}.jsonc`)).mode & 0o777).toBe(0o600);
    const { stdout } = await user.type(["config", "list"]);
    expect(stdout).toMatch(/^guard\.level +policy:\.\/policy\.jsonc +strict$/m);
    const { settings } = await user.json<{ settings: readonly object[] }>("config", "list");
    expect(settings).toContainEqual(
      expect.objectContaining({ key: "guard.level", source: place(user, "config.jsonc") }),
    );
  });

  it("fetches over http, refuses what is not what was pinned, and keeps the last good one", async () => {
    const pages = new Map<string, string>([["/policy.jsonc", POLICY]]);
    const address = `${await serve(pages)}/policy.jsonc`;
    const user = userWith(`${address}#sha256-${hashOf(POLICY)}`);
    expect((await user.type(["guard", "test", "ls"])).stderr).toContain("run amplihack config pull");
    expect((await user.type(["config", "pull"])).code).toBe(0);
    expect(await levelOf(user)).toBe("strict");
    pages.set("/policy.jsonc", '{ "guard": { "level": "relaxed" } }');
    const changed = await user.type(["config", "pull"]);
    expect(changed).toMatchObject({ code: 1 });
    expect(changed.stdout).toContain("and not what was pinned");
    pages.clear();
    expect((await user.type(["config", "pull"])).stdout).toMatch(/could not fetch \S+: .*404/);
    expect(await levelOf(user)).toBe("strict");
    expect(readdirSync(place(user, "policies"))).toHaveLength(1);
  });

  it("follows a signed policy to its newest content, and no further than the signature", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
    const pages = new Map<string, string | Uint8Array>();
    const publish = (text: string, signature: Uint8Array = sign(null, Buffer.from(text), privateKey)) => {
      pages.set("/p.jsonc", text);
      pages.set("/p.jsonc.sig", signature);
    };
    const user = userWith(`${await serve(pages)}/p.jsonc#ed25519-${key}`);
    publish(POLICY);
    expect(await user.type(["config", "pull"])).toMatchObject({ code: 0 });
    expect(await levelOf(user)).toBe("strict");
    publish('{ "guard": { "level": "relaxed" } }');
    expect((await user.type(["config", "pull"])).code).toBe(0);
    expect(await levelOf(user)).toBe("relaxed");
    publish(POLICY, sign(null, Buffer.from("something else"), privateKey));
    const { code, stdout } = await user.type(["config", "pull"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/the signature of \S+ does not match/);
    expect(await levelOf(user)).toBe("relaxed");
  });

  it("finds a package beside the configuration, and nothing outside of it", async () => {
    const user = userWith(`@acme/agent-policy#sha256-${hashOf(POLICY)}`);
    expect((await user.type(["config", "pull"])).stdout).toContain("the package is in none of");
    const root = place(user, "node_modules", "@acme", "agent-policy");
    write(join(root, "package.json"), '{ "amplihack": { "policy": "rules/policy.jsonc" } }');
    write(join(root, "rules", "policy.jsonc"), POLICY);
    expect((await user.type(["config", "pull"])).code).toBe(0);
    expect(await levelOf(user)).toBe("strict");
    write(place(user, "outside.jsonc"), POLICY);
    for (const outside of ["../../../outside.jsonc", place(user, "outside.jsonc"), "link.jsonc"]) {
      if (outside === "link.jsonc") symlinkSync(place(user, "outside.jsonc"), join(root, "link.jsonc"));
      write(join(root, "package.json"), JSON.stringify({ amplihack: { policy: outside } }));
      expect((await user.type(["config", "pull"])).stdout).toContain("is outside the package");
    }
  });

  it.each([
    ["no JSON", "<html>", "not valid JSON"],
    ["no object", "[]", "it contains no configuration"],
    ["too long", `{"a":"${"x".repeat(300_000)}"}`, "is larger than 256 KB"],
  ])("refuses what is %s", async (_, content, message) => {
    const user = userWith("./policy.jsonc", "no entry");
    write(place(user, "policy.jsonc"), content);
    const { code, stdout } = await user.type(["config", "pull", "--pin"]);
    expect(code).toBe(1);
    expect(stdout).toContain(message);
    expect(stdout).toContain("no entry: expected a file");
    expect(await entriesOf(user)).toEqual(["./policy.jsonc", "no entry"]);
  });

  it("warns of members that nobody knows, and refuses a broken configuration", async () => {
    const user = userWith("./policy.jsonc");
    write(place(user, "policy.jsonc"), '{ "gaurd": {} }');
    expect((await user.type(["config", "pull", "--pin"])).stderr).toContain("gaurd is ignored");
    write(place(user, "config.jsonc"), "{");
    expect((await user.type(["config", "pull"])).stderr).toContain("is not valid JSON with comments");
  });
});
