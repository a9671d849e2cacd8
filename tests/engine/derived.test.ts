import { describe, expect, it } from "vitest";
import { derive } from "../../src/engine/adapters/shared.ts";

class Client {
  private transport = "";
  private nextId = 0;

  connect(transport: string): void {
    this.transport = transport;
  }
  call(): string {
    this.nextId += 1;
    return `${this.nextId} over ${this.transport}`;
  }
  callTwice(): readonly string[] {
    return [this.call(), this.call()];
  }
}

describe("derive", () => {
  it("shares what is set later, through either of them", () => {
    const original = new Client();
    const derived = derive(original, { call: () => `hooked ${original.call()}` });
    derived.connect("pipe");
    expect([derived.call(), original.call(), derived.call()]).toEqual([
      "hooked 1 over pipe",
      "2 over pipe",
      "hooked 3 over pipe",
    ]);
  });

  it("its own methods use the members that are new, the original's do not", () => {
    const original = new Client();
    const derived = derive(original, { call: () => "hooked" });
    expect(derived.callTwice()).toEqual(["hooked", "hooked"]);
    expect(original.callTwice()).toEqual(["1 over ", "2 over "]);
    expect(derived).toBeInstanceOf(Client);
    expect({ ...derive({ a: 1, b: 2 }, { b: 3 }) }).toEqual({ a: 1, b: 3 });
  });

  it("takes frozen objects too", () => {
    const frozen = Object.freeze({ name: "bash", execute: () => "ran" });
    const derived = derive(frozen, { execute: () => "hooked" });
    expect([derived.name, derived.execute()]).toEqual(["bash", "hooked"]);
  });
});
