import { describe, expect, it } from "vitest";
import { toolWords } from "../../src/hosts/index.ts";
import { judge, machine, PROJECT, rulesOf } from "./scene.ts";

const verdict = (command: string) =>
  judge(command, { system: machine({ [`${PROJECT}/.claude/settings.json`]: "{}\n" }) }).verdict;

describe("what is made for tests and made again by the next run", () => {
  it.each([
    "docker compose -f docker-compose.test.yml down -v",
    "docker compose -p app_test down -v --remove-orphans",
    "docker-compose -f ci/docker-compose.yml down --volumes",
    "redis-cli -n 15 flushdb",
    "redis-cli -h localhost -n 15 FLUSHDB",
    "psql app_test -c 'TRUNCATE users CASCADE'",
    "psql -d app_test -c 'drop table users'",
    "psql postgres://localhost/app_test -c 'drop schema public cascade'",
    "psql postgres -c 'DROP DATABASE IF EXISTS app_test'",
    "mysql -u root app_test -e 'drop table users'",
    "mongosh mongodb://localhost/app_test --eval 'db.dropDatabase()'",
    "docker compose exec db psql -U app -d app_test -c 'delete from users'",
    "php artisan migrate:fresh --env=testing",
    "helm uninstall api-test -n test",
    "wrangler d1 execute DB --local --command 'drop table if exists t'",
    "xcrun simctl shutdown all",
    "arduino-cli upload -p /dev/ttyACM0 .",
    "aws s3 cp s3://acme-dev/x.csv .",
  ])("passes: %s", command => {
    expect(verdict(command)).toBe("allow");
  });

  it.each([
    "docker compose -f docker-compose.yml down -v",
    "docker compose -f docker-compose.yml -f docker-compose.test.yml down -v",
    "docker compose -f prod-test.yml down -v",
    "redis-cli -n 0 flushdb",
    "redis-cli -n 1 flushdb",
    "redis-cli -n 15 flushall",
    "redis-cli -h cache.internal -n 15 flushdb",
    "psql app -c 'TRUNCATE users CASCADE'",
    "psql -U test app -c 'drop table users'",
    "psql -h db.prod app_test -c 'drop table users'",
    "psql contest -c 'drop table users'",
    "psql latest -c 'drop table users'",
    "psql postgres -c 'DROP DATABASE latest'",
    "mongosh mongodb://localhost/app --eval 'db.dropDatabase()'",
    "docker compose exec db psql -U app -d app -c 'delete from users'",
    "php artisan migrate:fresh --env=staging",
    "helm uninstall api -n web",
    "wrangler d1 execute DB --remote --command 'drop table if exists t'",
    "xcrun shutdown -h now",
    "aws s3 cp --recursive s3://acme-dev/x .",
    "jenkins-cli delete-job build-web",
    "yarn exec 'rm -rf ~/Documents'",
    "curl http://solr.example.com/solr/core/update -d '<delete><query>*:*</query></delete>'",
  ])("is no reason to pass: %s", command => {
    expect(verdict(command)).not.toBe("allow");
  });
});

describe("a file that comes from another machine", () => {
  it("goes by its own name into a folder, and touches nothing else there", () => {
    expect(verdict("scp web1:/var/log/app.log .")).toBe("allow");
    expect(verdict("scp web1:a.log web1:b.log docs")).toBe("allow");
  });

  it("may be anything where folders or patterns are copied", () => {
    expect(verdict("scp -r web1:/srv/app .")).not.toBe("allow");
    expect(verdict("scp 'web1:/srv/app/*' .")).not.toBe("allow");
    expect(verdict("scp web1:/srv/settings.json .claude/")).not.toBe("allow");
  });
});

describe("what is done elsewhere is not made harmless by what is missing here", () => {
  it("asks about a device as about another machine", () => {
    expect(rulesOf("adb shell rm -rf /sdcard/DCIM")).toEqual(rulesOf("ssh phone rm -rf /sdcard/DCIM"));
    expect(rulesOf("adb -s emulator-5554 shell 'rm -rf /sdcard/x'")).not.toEqual([]);
    expect(rulesOf("adb shell am start -n com.acme/.Main")).toEqual([]);
    expect(rulesOf("adb logcat -d")).toEqual([]);
  });

  it.each([
    `curl -X POST https://api.x.example/v2/droplets/1/actions -d '{"type":"power_off"}'`,
    `curl -X POST https://api.x.example/servers/1/action -d '{"action":"hardShutdown"}'`,
    "curl -X POST https://api.x.example/servers/1/power_off",
    "curl -X POST https://api.x.example/servers/1/actions/rebuild",
  ])("asks before a machine is switched off: %s", command => {
    expect(rulesOf(command)).toEqual(["cloud.api"]);
  });

  it.each([
    `curl -X POST https://api.x.example/v2/droplets/1/actions -d '{"type":"snapshot"}'`,
    `curl -X POST http://localhost:3000/actions -d '{"type":"power_off"}'`,
    "curl https://api.x.example/servers/1/power_off",
  ])("leaves others alone: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });

  it("knows the tilde of Tcl", () => {
    expect(verdict("tclsh <<< 'file delete -force ~/Documents'")).toBe("deny");
    expect(verdict("tclsh <<< 'file delete -force dist'")).toBe("allow");
  });
});

describe("a tool that has its server's name in front", () => {
  it("is read without it", () => {
    expect(toolWords("mcp__jira__jira_delete_issue")).toEqual(toolWords("mcp__jira__delete_issue"));
    expect(toolWords("mcp__jira__jira")).toEqual({ server: ["jira"], tool: ["jira"] });
  });
});
