import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasPostgres } from "../postgres-server.ts";
import { type Scene, serverScene } from "./scene.ts";

const PROVIDER = fileURLToPath(new URL("provider.mjs", import.meta.url));

async function startProvider() {
  const child = spawn(process.execPath, [PROVIDER], { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = () =>
    new Promise<string>(resolve => child.stdout.once("data", chunk => resolve(String(chunk).trim())));
  const issuer = await said();
  const setGroups = async (name: string, ...groups: readonly string[]) => {
    const heard = said();
    child.stdin.write(`${[name, ...groups].join(" ")}\n`);
    await heard;
  };
  return { issuer, setGroups };
}

/** A browser without a screen: it keeps cookies by host and port, and follows nothing by itself. */
class Visitor {
  private readonly jars = new Map<string, Map<string, string>>();

  async ask(address: string, form?: Record<string, string>) {
    const url = new URL(address);
    const jar = this.jars.get(url.host) ?? new Map<string, string>();
    this.jars.set(url.host, jar);
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(pair => pair.join("=")).join("; "), origin: url.origin },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(set) || value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get("location");
    return {
      status: response.status,
      body: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
    };
  }

  forget(name: string): void {
    for (const jar of this.jars.values()) jar.delete(name);
  }

  /** Goes through the provider's own pages until it sends back to the server. */
  async logIn(scene: Scene, name: string, to = "/"): Promise<string> {
    let { location = "" } = await this.ask(`${scene.url}/login/provider?to=${encodeURIComponent(to)}`);
    for (let steps = 0; steps < 20 && !location.startsWith(`${scene.url}/login/callback`); steps += 1) {
      const page = await this.ask(location);
      const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(page.body) ?? [];
      const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page.body) ?? [];
      const next =
        page.location === undefined ? await this.ask(action, { prompt, login: name, password: "any" }) : page;
      location = next.location ?? "";
    }
    return location;
  }
}

async function scenes(rolesClaim?: string) {
  const { issuer, setGroups } = await startProvider();
  const singleSignOn = {
    issuer,
    clientId: "amplihack",
    secret: "secret-of-the-client",
    nameClaim: "email",
    rolesClaim,
  };
  return { ...(await serverScene({ singleSignOn })), setGroups };
}

describe.skipIf(!hasPostgres)("a login with a provider", () => {
  it("lets people in whom the server knows, by their verified address, and out again", async () => {
    const scene = await scenes();
    const olga = await scene.visit("acme", "olga", "owner");
    await olga.send("/people", { team: "acme", do: "add", person: "adam@acme.example", role: "approver" });
    const adam = new Visitor();
    expect((await adam.ask(`${scene.url}/questions`)).body).toContain("/login/provider?to=%2Fquestions");
    const back = await adam.logIn(scene, "adam", "/questions");
    const done = await adam.ask(back);
    expect(done).toMatchObject({ status: 303, location: `${scene.url}/questions` });
    const page = await adam.ask(`${scene.url}/questions`);
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining("adam@acme.example") });
    // The same way back counts once.
    expect((await adam.ask(back)).status).toBe(403);
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? [];
    expect((await adam.ask(`${scene.url}/logout`, { csrf })).status).toBe(303);
    expect((await adam.ask(`${scene.url}/questions`)).status).toBe(401);
    // Known to the provider, and in no team.
    const eve = new Visitor();
    await eve.ask(await eve.logIn(scene, "eve"));
    expect((await eve.ask(`${scene.url}/`)).status).toBe(403);
    expect(scene.log).toEqual([]);
  });

  it("takes roles from claims, and takes them away with the claims", async () => {
    const scene = await scenes("groups");
    const max = new Visitor();
    await scene.setGroups("max", "acme:viewer", "acme:admin", "zoo:king", "nowhere:owner");
    await max.ask(await max.logIn(scene, "max"));
    expect((await max.ask(`${scene.url}/settings?team=acme`)).status).toBe(200);
    expect((await max.ask(`${scene.url}/?team=zoo`)).status).toBe(403);
    const later = new Visitor();
    await scene.setGroups("max", "zoo:member");
    await later.ask(await later.logIn(scene, "max"));
    expect((await later.ask(`${scene.url}/?team=acme`)).status).toBe(403);
    expect((await later.ask(`${scene.url}/?team=zoo`)).status).toBe(200);
    // Also of whoever is still logged in.
    expect((await max.ask(`${scene.url}/settings?team=acme`)).status).toBe(403);
  });

  it("is refused for unverified addresses, for a name of somebody else, and in another browser", async () => {
    const scene = await scenes("groups");
    const visit = async (name: string) => {
      const visitor = new Visitor();
      return visitor.ask(await visitor.logIn(scene, name));
    };
    expect((await visit("unverified:ann")).status).toBe(403);
    expect((await visit("one:ann")).status).toBe(303);
    const answer = await visit("two:ann");
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("somebody else") });
    // Whoever sends a way back of their own to somebody else logs nobody in.
    const thief = new Visitor();
    const back = await thief.logIn(scene, "three");
    expect((await new Visitor().ask(back)).status).toBe(403);
    thief.forget("__Host-amplihack-visit");
    expect((await thief.ask(back)).status).toBe(403);
    expect(scene.log).toEqual([]);
  });

  it("leads nowhere else, and takes no forged code, state or issuer", async () => {
    const scene = await scenes();
    const visitor = new Visitor();
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "javascript:1",
      "/login/callback",
    ]) {
      const done = await visitor.ask(await visitor.logIn(scene, "olga", to));
      expect([to, done.location]).toEqual([to, `${scene.url}/`]);
    }
    for (const change of [
      (url: URL) => url.searchParams.set("code", "forged"),
      (url: URL) => url.searchParams.set("state", "x".repeat(43)),
      (url: URL) => url.searchParams.set("iss", "https://evil.example"),
      (url: URL) => url.searchParams.delete("code"),
    ]) {
      const back = new URL(await visitor.logIn(scene, "olga"));
      change(back);
      expect((await visitor.ask(back.href)).status).toBe(403);
    }
    expect(scene.log).toEqual([]);
  });

  it("waits for a provider that is away, and is not there without one", async () => {
    const none = await serverScene();
    expect((await none.ask("/login/provider")).status).toBe(404);
    expect((await none.ask("/login")).body).not.toContain("/login/provider");
    const away = {
      issuer: "http://127.0.0.1:1",
      clientId: "a",
      secret: undefined,
      nameClaim: "email",
      rolesClaim: undefined,
    };
    const scene = await serverScene({ singleSignOn: away });
    expect((await scene.ask("/login/provider")).status).toBe(503);
    expect(scene.log).toEqual([]);
  });
});
