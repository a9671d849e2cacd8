import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { hasPostgres } from "../postgres-server.ts";
import { serverScene } from "../server/scene.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { command } from "./file-tools.ts";
import { TIMEOUT_MS } from "./harness.ts";
import { INSTALLED, makePlace, runScript } from "./run-script.ts";

/** Longer than any host waits for a hook unless its settings say so. */
const THOUGHT_MS = 75_000;
const WAIT_MS = 110_000;

/** PostgreSQL does not run as root; where `unshare` knows no other user it cannot be started. */
const canBeAnother = spawnSync("setpriv", ["--reuid=65534", "--clear-groups", "true"]).status === 0;

describe.skipIf(!hasPostgres || !canBeAnother).each(INSTALLED)(
  "a session of %s that nobody sits at",
  host => {
    it("waits until somebody of the team has answered on the server", {
      timeout: TIMEOUT_MS * 2,
    }, async () => {
      const scene = await serverScene();
      const olga = await scene.visit("acme", "olga", "owner");
      const key = await scene.join(olga, "acme", "laptop");
      const { body } = await scene.post("/api/v1/seen", key, {});
      const place = makePlace(temporaryDirectory());
      const git = (...words: string[]) =>
        execFileSync("git", ["-C", place.project, ...words], { encoding: "utf8" });
      git("init", "-q", "-b", "main");
      for (const [name, value] of [
        ["name", "Olga"],
        ["email", "olga@acme.example"],
      ] as const)
        git("config", `user.${name}`, value);
      const stateHome = join(place.home, ".amplihack");
      mkdirSync(stateHome);
      const config = {
        guard: { unattended: "deny" },
        team: { waitMs: WAIT_MS },
        history: { enabled: false },
      };
      writeFileSync(join(stateHome, "config.jsonc"), JSON.stringify(config), { mode: 0o600 });
      const joined = {
        url: scene.url,
        team: "acme",
        person: "olga",
        key,
        anchor: null,
        serverKey: body["serverKey"],
      };
      writeFileSync(join(stateHome, "server.json"), JSON.stringify(joined), { mode: 0o600 });

      let isOver = false;
      const answering = (async () => {
        for (const [answer, waitMs] of [
          ["once", THOUGHT_MS],
          ["no", 0],
        ] as const) {
          const open = () =>
            scene.owner.run(`SELECT id FROM ${SCHEMA}.server_questions WHERE answer IS NULL ORDER BY asked`);
          for (let rows = await open(); !isOver; rows = await open()) {
            const id = rows[0]?.["id"];
            if (id !== undefined) {
              await setTimeout(waitMs);
              await olga.send("/questions", { team: "acme", id: String(id), answer });
              break;
            }
            await setTimeout(200);
          }
        }
      })();
      // Without a remote, a commit to main is asked about.
      const { results, end } = await runScript(host, place, () => [
        command("git commit -q --allow-empty -m first"),
        command("git commit -q --allow-empty -m second"),
      ]);
      isOver = true;
      await answering;
      expect(git("log", "--format=%s").trim(), `${end}\n${results.join("\n")}`).toBe("first");
      expect(results[1]).toContain("olga of your team said no");
    });
  },
);
