// A real OpenID Connect provider on this machine. It prints its address; whoever logs in there is called as they type.
// Lines of its input say who is in which groups: NAME GROUP…; each is printed when it counts.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import Provider from "oidc-provider";

const server = createServer();
await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const groupsOf = new Map();
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "amplihack",
      client_secret: "secret-of-the-client",
      // Of such clients any port of this machine counts.
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/login/callback"],
    },
  ],
  pkce: { required: () => true },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
  cookies: { keys: ["only for tests"] },
  // `one:ann` and `two:ann` have one address and are two people.
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id.replace(/^[^:]*:/, "")}@acme.example`,
      email_verified: !id.startsWith("unverified"),
      groups: groupsOf.get(id) ?? [],
    }),
  }),
});
server.on("request", provider.callback());
process.stdout.write(`${issuer}\n`);
const input = createInterface({ input: process.stdin });
input.on("line", line => {
  const [name, ...groups] = line.split(" ");
  groupsOf.set(name, groups);
  process.stdout.write(`${line}\n`);
});
input.on("close", () => process.exit(0));
