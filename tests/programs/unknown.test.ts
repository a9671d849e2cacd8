import { describe, expect, it } from "vitest";
import { rulesOf } from "../guard/scene.ts";

// What is read in the words of a program that has no record, or of which a record knows only some operations.

describe("a program without a record", () => {
  it.each([
    ["acmerun rm -rf ~", "fs.home"],
    ["acmerun --on-exit 'rm -rf ~'", "fs.home"],
    ["acmerun exec 'rm -rf ~'", "fs.home"],
    ["echo 'rm -rf ~' | acmerun", "fs.home"],
    ["echo 'rm -rf ~' > x.txt; acmerun x.txt", "fs.home"],
  ])("runs what its words hold: %s", (command, rule) => {
    expect(rulesOf(command)).toContain(rule);
  });

  it.each([
    ["acmectl deleteall users", "cloud.other"],
    ["acmectl users:purge", "cloud.other"],
    ["acmectl dropDatabase app", "cloud.other"],
    ["acmectl role assign bob", "grant.access"],
    ["acmectl rotateApiKey main", "grant.access"],
    ["acmectl invite bob@example.com", "grant.access"],
    ["acmectl bucket update b --versioning off", "grant.protection"],
    ["acmectl db patch x --no-deletion-protection", "grant.protection"],
    ["acmectl firewall update x --source 0.0.0.0/0", "cloud.public"],
    ["acmectl migrate apply --env production", "deploy.production"],
    ["acmectl rollout ProdStack", "deploy.production"],
    ["acmectl send --attach .env", "sec.read"],
    ["acmectl put --value file://.env", "sec.read"],
    ["acmectl --report-file .env", "sec.write"],
    ["acmectl q 'GRANT ALL ON DATABASE app TO bob'", "grant.access"],
  ])("says what it does: %s", (command, rule) => {
    expect(rulesOf(command)).toContain(rule);
  });

  it.each([
    "acmectl label create grant-7",
    "acmectl role list",
    "acmectl bucket update b --versioning on",
    "acmectl acl set b --acl private",
    "acmectl migrate status --env production",
    "acmectl send --attach notes.txt",
    "acmectl start --env-file .env",
    "acmectl login --key-file .env",
    "acmectl note add 'grant access to bob'",
  ])("is left alone: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });
});

describe("a program whose record knows some operations", () => {
  it.each([
    ["aws eks create-access-entry --cluster-name c --principal-arn a", "grant.access"],
    [
      "aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name s",
      "grant.protection",
    ],
    ["gcloud sql instances patch app --authorized-networks=0.0.0.0/0", "cloud.public"],
    ["wrangler deploy --env production", "deploy.production"],
  ])("can do more of the same kind: %s", (command, rule) => {
    expect(rulesOf(command)).toContain(rule);
  });

  it.each([
    "pulumi destroy --preview-only",
    "kind delete cluster",
    "git push origin fix/prod-deploy",
    "aws iam generate-service-last-accessed-details --arn a",
    "docker create -v /home/user/project:/p node:20 npm test",
  ])("is free where a row or its words say so: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });
});

describe("processes that are ended", () => {
  it.each([
    "kill -9 $(ls /proc | grep -o '[0-9]*')",
    "kill -9 {2..65535}",
    "lsof -t -u user | xargs kill -9",
    "top -bn1 | awk 'NR>7{print $1}' | xargs kill",
    "pkill -9 -v -f claude",
    "killall -r '[a-z]*'",
    "fuser -km /home",
    "systemctl kill user-1000.slice",
    "kill $PPID",
  ])("are all that a list has in it: %s", command => {
    expect(rulesOf(command)).toContain("sys.kill");
  });

  it.each([
    "lsof -ti:3000 | xargs kill",
    "ss -ltnp | grep :3000 | grep -oP 'pid=\\K\\d+' | xargs -r kill",
    "cat *.pid | xargs kill",
    "pkill -P $$",
    "fuser -k 3000/tcp",
    "ps aux | grep [v]ite | awk '{print $2}' | xargs -r kill -9",
  ])("are the ones that are meant: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });
});

describe("a script of sed or awk that looks like a path", () => {
  it.each([
    "sed -i 's/checkout/pay/g' src/pay.ts",
    "sed -i s/old/deploy/ production.ts",
    "sed 's/a/delete/' users.sql",
    "awk /refund/charge/ payout.csv",
  ])("is not the name of a program: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });
});
