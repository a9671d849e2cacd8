import { knownText } from "../../shell/value.ts";
import type { Datum, ListDatum } from "./datum.ts";
import { choiceOf, knownTextOf, literal, optionsOf, originsOf, reference, setField } from "./datum.ts";
import type { Run } from "./run.ts";
import { environmentDatum } from "./run.ts";

/** What stands behind a road such as `os.path` or `process.env`. */
export function resolveRoad(run: Run, written: string, object?: Datum): Datum {
  const path = run.library.canonical(written);
  const assigned = run.members.get(path);
  if (assigned !== undefined) return assigned;
  const constant = run.library.constants.get(path);
  if (constant !== undefined) return constant(run);
  return reference(path, object === undefined ? [] : originsOf(object), object);
}

/** `object.name` */
export function memberOf(run: Run, object: Datum, name: string): Datum {
  switch (object.kind) {
    case "choice":
      return choiceOf(object.options.map(option => memberOf(run, option, name)));
    case "record": {
      const field = object.fields.get(name);
      if (field?.kind === "function") return { ...field, self: object };
      return field ?? reference(`record.${name}`, object.origins, object);
    }
    case "reference":
      // `os.environ.get` is a function, `process.env.HOME` a variable.
      if (
        run.library.environments.has(object.path) &&
        !run.library.models.has(`${object.path}.${name}`) &&
        !WHOLE_MEMBERS.has(name)
      ) {
        return environmentDatum(run, name);
      }
      return resolveRoad(run, `${object.path}.${name}`, object);
    case "text": {
      const property = run.library.properties.get(`${object.type}.${name}`);
      return property?.(object, run) ?? resolveRoad(run, `${object.type}.${name}`, object);
    }
    default:
      return reference(`${object.kind}.${name}`, originsOf(object), object);
  }
}

/** `object[key]` */
export function itemOf(run: Run, object: Datum, key: Datum): Datum {
  if (object.kind === "choice") return choiceOf(object.options.map(option => itemOf(run, option, key)));
  if (key.kind === "choice") return choiceOf(key.options.map(option => itemOf(run, object, option)));
  const name = knownTextOf(key);
  if (object.kind === "list") return listItem(object, name);
  if (object.kind === "record") {
    const field = name === undefined ? undefined : object.fields.get(name);
    return field ?? choiceOf([...object.fields.values(), reference("record[]", object.origins)]);
  }
  if (name !== undefined && object.kind === "reference") {
    if (run.library.environments.has(object.path)) return environmentDatum(run, name);
    // Brackets and a dot mean the same for everything that is known by its road.
    return resolveRoad(run, `${object.path}.${name}`, object);
  }
  return reference(`${object.kind === "reference" ? object.path : object.kind}[]`, originsOf(object), object);
}

function listItem(list: ListDatum, name: string | undefined): Datum {
  if (name === undefined || !/^-?\d{1,6}$/.test(name)) return elementOf(list);
  return list.items.at(Number(name)) ?? reference(`item ${name}`, list.origins);
}

/** What a loop over the datum meets: one of its items. */
export function elementOf(datum: Datum): Datum {
  switch (datum.kind) {
    case "choice":
      return choiceOf(datum.options.map(elementOf));
    case "list": {
      const items = datum.items.map(item => item);
      if (datum.isOpenEnded || items.length === 0) items.push(reference("item", datum.origins));
      return choiceOf(items);
    }
    case "record": {
      const keys = [...datum.fields.keys()].map(key => literal(key));
      return keys.length === 0 ? reference("key", datum.origins) : choiceOf(keys);
    }
    case "reference":
      return reference(`${datum.path}[]`, originsOf(datum), datum);
    case "text":
      // A pattern's matches are told by the pattern itself; the characters of a text are nobody's path.
      return datum.type === "matches" || knownText(datum.value) === undefined
        ? datum
        : reference("character");
    default:
      return reference("item");
  }
}

/** `object.name = value` */
export function setMember(run: Run, object: Datum, name: string, value: Datum): void {
  for (const option of optionsOf(object)) {
    if (option.kind === "record") setField(option, name, value);
    else if (option.kind === "reference") run.members.set(`${option.path}.${name}`, value);
  }
}

/** Methods of records and texts that hand on everything there is. */
const WHOLE_MEMBERS: ReadonlySet<string> = new Set([
  "copy",
  "decode",
  "encode",
  "items",
  "map",
  "to_a",
  "to_h",
  "to_json",
  "to_s",
  "toString",
  "values",
]);
