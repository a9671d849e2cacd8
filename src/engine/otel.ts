/** `amplihack/engine/otel`: the engine's spans and metrics through OpenTelemetry, an optional peer dependency. */
import {
  type Attributes,
  type AttributeValue,
  type Counter,
  type Histogram,
  type Meter,
  metrics,
  type Tracer,
  trace,
  type UpDownCounter,
} from "@opentelemetry/api";
import type { Attribute, Span, Telemetry } from "./options.ts";
import { GENAI_CONVENTIONS } from "./telemetry.ts";

const SCOPE = "amplihack/engine";
const schemaUrl = `https://opentelemetry.io/schemas/${GENAI_CONVENTIONS}`;
/** Counts that go down again. */
const UP_DOWN: ReadonlySet<string> = new Set(["hooks.processes"]);

export interface OpenTelemetryOptions {
  /** default: the global provider's tracer and meter of the name `amplihack/engine` */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
}

/** A `Telemetry` for `createHookEngine`. Runs are children of their dispatch when a context manager is set. */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const tracer = options.tracer ?? trace.getTracerProvider().getTracer(SCOPE, undefined, { schemaUrl });
  const meter = options.meter ?? metrics.getMeter(SCOPE, undefined, { schemaUrl });
  const counters = new Map<string, Counter | UpDownCounter>();
  const histograms = new Map<string, Histogram>();
  return {
    span(name, attributes, body) {
      return tracer.startActiveSpan(name, { attributes: copies(attributes) }, span => {
        const wrapped: Span = {
          set: (key, value) => void span.setAttribute(key, copyAttribute(value)),
          event: (event, more = {}) => void span.addEvent(event, copies(more)),
        };
        const end = (): void => span.end();
        const value = body(wrapped);
        if (value instanceof Promise) value.then(end, end);
        else end();
        return value;
      });
    },
    count(name, n, attributes) {
      const make = (): Counter | UpDownCounter =>
        UP_DOWN.has(name) ? meter.createUpDownCounter(name) : meter.createCounter(name);
      cached(counters, name, make).add(n, attributes);
    },
    record(name, value, attributes) {
      cached(histograms, name, () => meter.createHistogram(name, { unit: "ms" })).record(value, attributes);
    },
  };
}

function copies(attributes: Readonly<Record<string, Attribute>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, copyAttribute(value)]));
}

function copyAttribute(value: Attribute): AttributeValue {
  return typeof value === "object" ? [...value] : value;
}

function cached<V>(made: Map<string, V>, name: string, make: () => V): V {
  const known = made.get(name);
  if (known !== undefined) return known;
  const fresh = make();
  made.set(name, fresh);
  return fresh;
}
