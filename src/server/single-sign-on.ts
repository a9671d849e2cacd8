import type { IncomingMessage, ServerResponse } from "node:http";
import type { Configuration } from "openid-client";
import { type Database, SCHEMA } from "../postgres/index.ts";
import { errorText, type Json, memberAt, stringAt } from "../protocol/index.ts";
import { isLoopback } from "../system/index.ts";
import { HttpError, hashSecret, newSecret, readCookie, setCookie } from "./http.ts";
import { isPersonName } from "./people.ts";
import { ROLES } from "./tables.ts";

/** Where people log in, and what is taken from there. */
export interface SingleSignOn {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string | undefined;
  /** the claim that names people; an e-mail address counts only if the provider has verified it */
  readonly nameClaim: string;
  /** a claim with a list of TEAM:ROLE; undefined where roles are given on the server alone */
  readonly rolesClaim: string | undefined;
}

const VISIT_SECONDS = 600;
const VISIT_COOKIE = "__Host-amplihack-visit";
const CALLBACK = "/login/callback";

/** Authorisation code with PKCE. The provider is asked about itself at the first login, and again after a failure. */
export class LoginProvider {
  readonly settings: SingleSignOn;
  private found: Promise<Configuration> | undefined;

  constructor(settings: SingleSignOn) {
    this.settings = settings;
  }

  /** Sends the browser to the provider. The visit is this browser's: only it can come back with it. */
  async begin({ run }: Database, response: ServerResponse, url: string, target: string): Promise<void> {
    const client = await import("openid-client");
    const config = await this.discover();
    const [state, nonce, verifier] = [newSecret(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const [row] = await run(`SELECT ${SCHEMA}.server_begin_visit($1, $2, $3, $4, $5) AS begun`, [
      hashSecret(state),
      verifier,
      nonce,
      target,
      VISIT_SECONDS,
    ]);
    if (row?.["begun"] !== true) throw new HttpError(503, "too many people log in", { "retry-after": "60" });
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: `${url}${CALLBACK}`,
      scope: "openid email profile",
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    response.setHeader("set-cookie", setCookie(VISIT_COOKIE, state, VISIT_SECONDS));
    response.writeHead(303, { location: address.href }).end();
  }

  /** Who came back, and where they wanted to go. Throws `HttpError`. */
  async end(
    database: Database,
    request: IncomingMessage,
    asked: URL,
    url: string,
  ): Promise<{ readonly person: string; readonly target: string }> {
    const state = readCookie(request, VISIT_COOKIE);
    if (state === undefined || asked.searchParams.get("state") !== state)
      throw new HttpError(403, "this login was not begun in this browser, or is too old; begin again");
    const [visit] = await database.run(`SELECT * FROM ${SCHEMA}.server_end_visit($1)`, [hashSecret(state)]);
    if (visit === undefined) throw new HttpError(403, "this login is too old; begin again");
    const claims = await this.claimsOf(new URL(`${CALLBACK}${asked.search}`, url), {
      pkceCodeVerifier: String(visit["verifier"]),
      expectedNonce: String(visit["nonce"]),
      expectedState: state,
      idTokenExpected: true,
    });
    const person = await this.know(database, claims);
    return { person, target: String(visit["target"]) };
  }

  private async claimsOf(
    address: URL,
    checks: Parameters<typeof import("openid-client").authorizationCodeGrant>[2],
  ): Promise<Json> {
    const client = await import("openid-client");
    const config = await this.discover();
    try {
      const tokens = await client.authorizationCodeGrant(config, address, checks);
      const claims = tokens.claims();
      const info =
        claims === undefined || config.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return { ...(info as Record<string, Json>), ...(claims as unknown as Record<string, Json>) };
    } catch (error) {
      // The provider's own words may hold codes.
      throw new HttpError(403, `the provider's answer is not valid (${errorCode(error)}); begin again`);
    }
  }

  private async know({ run }: Database, claims: Json): Promise<string> {
    const { issuer, nameClaim, rolesClaim } = this.settings;
    const [subject, name] = [stringAt(claims, "sub") ?? "", stringAt(claims, nameClaim) ?? ""];
    if (subject === "" || !isPersonName(name))
      throw new HttpError(403, `the provider sends no ${nameClaim} that could name a person here`);
    if (nameClaim === "email" && memberAt(claims, "email_verified") !== true)
      throw new HttpError(403, "the provider has not verified this e-mail address");
    const claimed = rolesClaim === undefined ? null : JSON.stringify(readRoles(memberAt(claims, rolesClaim)));
    const [row] = await run(`SELECT ${SCHEMA}.server_know($1, $2, $3, $4) AS person`, [
      issuer,
      subject,
      name,
      claimed,
    ]);
    const person = row?.["person"];
    if (typeof person !== "string")
      throw new HttpError(403, "somebody else of this provider has this name here; ask an administrator");
    return person;
  }

  private discover(): Promise<Configuration> {
    this.found ??= discover(this.settings).catch((error: unknown) => {
      this.found = undefined;
      throw new HttpError(503, `the provider does not answer (${errorCode(error)})`, { "retry-after": "10" });
    });
    return this.found;
  }
}

async function discover({ issuer, clientId, secret }: SingleSignOn): Promise<Configuration> {
  const client = await import("openid-client");
  const url = new URL(issuer);
  const isLocal = url.protocol === "http:" && isLoopback(url.hostname);
  return client.discovery(
    url,
    clientId,
    undefined,
    secret === undefined ? client.None() : client.ClientSecretBasic(secret),
    {
      timeout: 10,
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
    },
  );
}

function errorCode(error: unknown): string {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === "string" ? code : errorText(error).slice(0, 100);
}

/** `TEAM:ROLE`, the strongest of each team. */
function readRoles(claim: Json | undefined): Readonly<Record<string, string>> {
  const texts = (Array.isArray(claim) ? claim : [claim]).filter(each => typeof each === "string");
  const roles = texts.flatMap(text => {
    const [, team = "", role = ""] = /^([^:]+):([a-z]+)$/.exec(text) ?? [];
    const rank = (ROLES as readonly string[]).indexOf(role);
    return rank < 0 ? [] : [{ team, role, rank }];
  });
  return Object.fromEntries(
    roles.sort((one, other) => one.rank - other.rank).map(({ team, role }) => [team, role]),
  );
}
