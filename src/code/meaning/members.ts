import { knownText, wordSet } from "../../shell/index.ts";
import { type EvaluationContext, environmentDatum } from "./context.ts";
import type { Datum, ListDatum } from "./datum.ts";
import { choiceOf, knownTextOf, literal, optionsOf, originsOf, reference, setField } from "./datum.ts";

/** What a qualified name such as `os.path` or `process.env` stands for. */
export function resolveName(context: EvaluationContext, written: string, object?: Datum): Datum {
  const path = context.language.canonical(written);
  const assigned = context.members.get(path);
  if (assigned !== undefined) return assigned;
  const constant = context.language.constants.get(path);
  if (constant !== undefined) return constant(context);
  return reference(path, object === undefined ? [] : originsOf(object), object);
}

/** An environment variable: what the program gave it, what the language says, or what it was before. */
function variableOf(context: EvaluationContext, environment: string, name: string): Datum {
  const path = `${environment}.${name}`;
  const known = context.members.get(path) ?? context.language.constants.get(path)?.(context);
  return known ?? environmentDatum(context, name);
}

/** `object.name` */
export function memberOf(context: EvaluationContext, object: Datum, name: string): Datum {
  switch (object.kind) {
    case "choice":
      return choiceOf(object.options.map(option => memberOf(context, option, name)));
    case "record": {
      const field = object.fields.get(name);
      if (field?.kind === "function") return { ...field, self: object };
      return field ?? reference(`record.${name}`, object.origins, object);
    }
    case "reference":
      // `os.environ.get` is a function, `process.env.HOME` a variable.
      if (
        context.language.environments.has(object.name) &&
        !context.language.functions.has(`${object.name}.${name}`) &&
        !WHOLE_MEMBERS.has(name)
      ) {
        return variableOf(context, object.name, name);
      }
      return resolveName(context, `${object.name}.${name}`, object);
    case "text": {
      const property = context.language.properties.get(`${object.type}.${name}`);
      return property?.(object, context) ?? resolveName(context, `${object.type}.${name}`, object);
    }
    default:
      return reference(`${object.kind}.${name}`, originsOf(object), object);
  }
}

/** `object[key]` */
export function itemOf(context: EvaluationContext, object: Datum, key: Datum): Datum {
  if (object.kind === "choice") return choiceOf(object.options.map(option => itemOf(context, option, key)));
  if (key.kind === "choice") return choiceOf(key.options.map(option => itemOf(context, object, option)));
  const name = knownTextOf(key);
  if (object.kind === "list") return listItem(object, name);
  if (object.kind === "record") {
    const field = name === undefined ? undefined : object.fields.get(name);
    return field ?? choiceOf([...object.fields.values(), reference("record[]", object.origins)]);
  }
  if (name !== undefined && object.kind === "reference") {
    if (context.language.environments.has(object.name)) return variableOf(context, object.name, name);
    // Brackets and a dot mean the same for everything that is known by its name.
    return resolveName(context, `${object.name}.${name}`, object);
  }
  return reference(`${object.kind === "reference" ? object.name : object.kind}[]`, originsOf(object), object);
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
      return reference(`${datum.name}[]`, originsOf(datum), datum);
    case "text":
      // A pattern's matches are told by the pattern itself; the characters of a text are no paths.
      return datum.type === "matches" || knownText(datum.value) === undefined
        ? datum
        : reference("character");
    default:
      return reference("item");
  }
}

/** `object.name = value` */
export function setMember(context: EvaluationContext, object: Datum, name: string, value: Datum): void {
  for (const option of optionsOf(object)) {
    if (option.kind === "record") setField(option, name, value);
    else if (option.kind === "reference") context.members.set(`${option.name}.${name}`, value);
  }
}

/** Methods of records and texts that hand on everything there is. */
const WHOLE_MEMBERS = wordSet("copy decode encode items map to_a to_h to_json to_s toString values");
