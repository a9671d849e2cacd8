import { type Attribute, logsRequest, metricsRequest } from "./otlp.ts";
import { type SendOptions, send } from "./send.ts";
import type { ShipTarget } from "./ship.ts";

export interface OtlpOptions extends SendOptions {
  /** the base of the receiver, to which `/v1/logs` is added */
  readonly url: URL;
  readonly resource: readonly Attribute[];
  readonly hasContent: boolean;
}

/** An OpenTelemetry collector, or anything else that speaks OTLP over HTTP. */
export function otlpTarget(options: OtlpOptions): ShipTarget {
  const { url, resource, hasContent } = options;
  return {
    name: url.href,
    prepare: () => Promise.resolve(),
    async send({ lines, totals, startedMs, nowMs, head }) {
      const logs = logsRequest(lines, { resource, hasContent, nowMs });
      await send(addressOf(url, "v1/logs"), logs, options);
      const metrics = metricsRequest(totals, { resource, startedMs, nowMs, head });
      await send(addressOf(url, "v1/metrics"), metrics, options);
    },
    close: () => Promise.resolve(),
  };
}

function addressOf(target: URL, path: string): URL {
  const url = new URL(target);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}
