import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly document: Record<string, unknown>;
}

type Answer = (received: Received, response: ServerResponse) => void;

const OK: Answer = (_, response) =>
  void response.writeHead(200, { "content-type": "application/json" }).end("{}");

/** A receiver of OTLP over HTTP on this machine, which answers as it is told to. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** to the requests that come next, one each; after them everything is acknowledged */
  readonly answers: Answer[];
  /** attributes of all log records, of acknowledged requests and others */
  records(): readonly Record<string, unknown>[];
  metric(name: string): Record<string, unknown> | undefined;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const document = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    const one: Received = { path: request.url ?? "", headers: request.headers, document };
    received.push(one);
    (answers.shift() ?? OK)(one, response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const all = (path: string) => received.filter(each => each.path.endsWith(path)).map(each => each.document);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    records: () => all("/v1/logs").flatMap(document => logRecordsIn(document).map(attributesIn)),
    metric: name =>
      all("/v1/metrics")
        .flatMap(metricsIn)
        .findLast(metric => metric["name"] === name),
  };
}

export const answer =
  (status: number, body = "{}", headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
export const never: Answer = () => {};

type Objects = readonly Record<string, unknown>[];
const objects = (value: unknown, name: string) => {
  const list = (value as Record<string, unknown>)[name];
  if (!Array.isArray(list))
    throw new Error(`${name} must be a list in ${JSON.stringify(value).slice(0, 200)}`);
  return list as Objects;
};

export function logRecordsIn(document: Record<string, unknown>): Objects {
  return objects(document, "resourceLogs").flatMap(resource =>
    objects(resource, "scopeLogs").flatMap(scope => objects(scope, "logRecords")),
  );
}

export function metricsIn(document: Record<string, unknown>): Objects {
  return objects(document, "resourceMetrics").flatMap(resource =>
    objects(resource, "scopeMetrics").flatMap(scope => objects(scope, "metrics")),
  );
}

/** As OTLP/JSON has them: exactly one kind of value each, 64-bit numbers as texts. */
export function attributesIn(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    objects(record, "attributes").map(({ key, value }) => {
      const entries = Object.entries(value as Record<string, unknown>);
      const [[kind, plain] = []] = entries;
      if (typeof key !== "string" || entries.length !== 1)
        throw new Error(`no attribute: ${JSON.stringify(record)}`);
      if (kind === "stringValue" && typeof plain === "string") return [key, plain];
      if (kind === "intValue" && typeof plain === "string" && /^-?\d+$/.test(plain))
        return [key, Number(plain)];
      if (kind === "doubleValue" && typeof plain === "number") return [key, plain];
      if (kind === "arrayValue")
        return [key, objects(plain, "values").map(each => (each as { stringValue: string }).stringValue)];
      throw new Error(`no value of OTLP: ${JSON.stringify(value)}`);
    }),
  );
}
