import { describe, expect, it } from "vitest";
import { isMetadataAddress } from "../../src/programs/records/requests.ts";
import { reachForms } from "./reach-forms.ts";
import { judge, rulesOf } from "./scene.ts";

// Judged while the file is read: hundreds of commands are no single test.
const forms = reachForms().map(form => ({ ...form, isStopped: judge(form.command).verdict !== "allow" }));

describe("ways out of a container and to a cloud's credentials", () => {
  it("are asked about in every form", () => {
    const missed = forms.filter(form => form.isDone && !form.isStopped);
    expect(missed.map(form => form.command)).toEqual([]);
  });

  it("leave ordinary containers and requests alone", () => {
    const bothered = forms.filter(form => !form.isDone && form.isStopped);
    expect(bothered.map(form => form.command)).toEqual([]);
  });

  it("have rules of their own", () => {
    expect(rulesOf("docker run --privileged alpine sh")).toEqual(["container.host"]);
    expect(rulesOf("curl http://0xa9fea9fe/latest/")).toEqual(["net.metadata"]);
  });

  it("are denied where the program behind them destroys something here", () => {
    expect(judge("docker run --pid=host alpine nsenter -t 1 -m -- rm -rf /etc").verdict).toBe("deny");
  });
});

describe("addresses of metadata services", () => {
  it.each([
    "",
    "http://",
    "http://[",
    "[:::1]",
    "[1:2:3:4:5:6:7:8:9]",
    "[::g]",
    "1.2.3.4.5",
    "http://[fe80::1%25eth0]/",
    "0xzz",
    "a:b:c",
  ])("are not found in %j", address => {
    expect(isMetadataAddress(address)).toBe(false);
  });
});
