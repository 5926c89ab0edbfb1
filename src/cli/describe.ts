import type { Option } from "commander";

/** What an option is for, with what it can be and is by default. Commander's own names the default of every flag, and a flag's is always no. */
export function describeOption(option: Option): string {
  const notes = [
    ...(option.argChoices === undefined ? [] : [option.argChoices.join(", ")]),
    ...(option.defaultValue === undefined || option.isBoolean() ? [] : [`default: ${String(option.defaultValue)}`]),
  ];
  return notes.length === 0 || String(option.defaultValue) === ""
    ? option.description
    : `${option.description} (${notes.join("; ")})`;
}
