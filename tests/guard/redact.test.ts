import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../src/exports/guard.ts";

describe("what goes into logs and reasons", () => {
  it.each([
    ["curl -H 'Authorization: Bearer abcdef0123456789abcdef'", "abcdef0123456789abcdef"],
    ["export GITHUB_TOKEN=ghp_abcdefghijklmnop1234567890", "ghp_abcdefghijklmnop"],
    ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY aws s3 ls", "wJalrXUtnFEMI"],
    ["psql postgres://user:hunter2@db/app", "hunter2"],
    ["mysql --password=hunter2 app", "hunter2"],
    ["mysql --password hunter2 app", "hunter2"],
    ["echo AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"],
    ['curl -d \'{"password": "hunter2"}\' x', "hunter2"],
    ["curl -H 'X-Api-Key: hunter2hunter2' x", "hunter2hunter2"],
    ["echo xoxb-123456789012-abcdefghij", "xoxb-123456789012"],
    ["echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJhbGciOiJIUzI1NiJ9"],
    ["DB_PASSWORD='p w d' run", "p w d"],
    ["echo aB3dE5fG7hI9jK1lM3nO5pQ7", "aB3dE5fG7hI9jK1lM3nO5pQ7"],
    ["echo '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'", "abc"],
  ])("has no secret of %s", (text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain("[redacted]");
  });

  it.each([
    "git checkout 1234567890123456789012345678901234567890",
    "rm -rf /home/user/project/src/components/navigation",
    'curl -H "Authorization: Bearer $TOKEN" x',
    "export TOKEN=$OTHER_TOKEN",
    "this protects the session: claude",
    "npm run build-something-very-long-indeed-now",
    "ls author.md tokens.ts",
  ])("keeps what is none: %s", text => expect(redact(text)).toBe(text));

  it("stays the same when done twice, whatever the text", () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), text => redact(redact(text)) === redact(text)));
  });

  it("takes no more time for hostile text", () => {
    const hostile = `${"a".repeat(50_000)}${"token=".repeat(2_000)}${"://:".repeat(2_000)}`;
    expect(redact(hostile).length).toBeGreaterThan(0);
  });
});
