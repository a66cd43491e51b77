// Writes the types of the HTTP API: node generate.mjs openapi.json api.d.ts
//
// Each schema is a type. `Operations` has a member for each operation, `"POST /v1/payments"`, with the types of its path,
// query, body and response.
import { readFileSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);
const document = JSON.parse(readFileSync(source, "utf8"));

const comment = (text) => (text ? `/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */ ` : "");
const name = (reference) => reference.split("/").at(-1);
const resolved = (value) => ("$ref" in value ? document.components[value.$ref.split("/")[2]][name(value.$ref)] : value);

function type(schema) {
  if (schema === undefined) return "unknown";
  if ("$ref" in schema) return name(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if ("enum" in schema) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("allOf" in schema) return schema.allOf.map((one) => `(${type(one)})`).join(" & ");
  for (const key of ["anyOf", "oneOf"]) {
    if (key in schema) return schema[key].map((one) => `(${type(one)})`).join(" | ");
  }
  if ("properties" in schema) {
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties).map(
      ([key, value]) => `  ${comment(value.description)}${JSON.stringify(key)}${required.has(key) ? "" : "?"}: ${type(value)};`);
    return `{\n${members.join("\n")}\n}`;
  }
  const kinds = [schema.type].flat().map((kind) => {
    if (kind === "array") return `(${type(schema.items)})[]`;
    if (kind === "integer") return "number";
    if (kind !== "object") return kind ?? "unknown";
    return `Record<string, ${typeof schema.additionalProperties === "object" ? type(schema.additionalProperties) : "unknown"}>`;
  });
  return kinds.join(" | ");
}

function json(holder) {
  const forms = Object.entries(holder?.content ?? {}).filter(([form]) => form.endsWith("json"));
  return forms.length > 0 ? type(forms[0][1].schema) : undefined;
}

function operation(value) {
  const parameters = (value.parameters ?? []).map(resolved);
  const members = (place) => parameters.filter((one) => one.in === place).map(
    (one) => `${comment(one.description)}${JSON.stringify(one.name)}${one.required ? "" : "?"}: string | number | boolean`);
  const responses = Object.entries(value.responses).filter(([status]) => status.startsWith("2"));
  const bodies = new Set(responses.map(([, one]) => json(resolved(one)) ?? "undefined"));
  const body = value.requestBody === undefined ? "undefined" : json(resolved(value.requestBody)) ?? "Uint8Array";
  return [
    `path: { ${members("path").join("; ")} }`, `query: { ${members("query").join("; ")} }`, `body: ${body}`,
    `response: ${[...bodies].join(" | ") || "never"}`,
  ].join("; ");
}

const lines = ["// Written by generate.mjs from openapi.json.", ""];
for (const [key, schema] of Object.entries(document.components.schemas)) {
  lines.push(`${comment(schema.description)}export type ${key} = ${type(schema)};`);
}
lines.push("", "export interface Operations {");
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, value] of Object.entries(methods)) {
    if (value.operationId === undefined) continue;
    lines.push(`  ${comment(value.summary)}${JSON.stringify(`${method.toUpperCase()} ${path}`)}: { ${operation(value)} };`);
  }
}
lines.push("}", "");
writeFileSync(target, lines.join("\n"));
