// Entry points and status endpoints, each compiled and rendered by itself: one without a value does
// not hide the others. Pure.

import type { FieldError } from "../../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { TemplateProblem, compileTemplate } from "../../../kernel/template/template.ts";
import type { Template, TemplateText, Variables } from "../../../kernel/template/template.ts";

export interface LinkTemplate {
  readonly name: string;
  readonly template: Template;
}

export interface CompiledLinks {
  readonly links: readonly LinkTemplate[];
  readonly errors: readonly FieldError[];
}

export function compileLinks(
  list: readonly Json[],
  variables: readonly string[],
  path: string,
): CompiledLinks {
  const links: LinkTemplate[] = [];
  const errors: FieldError[] = [];
  list.forEach((link, at) => {
    const compiled = compileTemplate(link, variables, `${path}[${at}]`);
    if (compiled.kind === "failed") errors.push(...compiled.errors);
    else links.push({ name: textAt(link, "name"), template: compiled.template });
  });
  return { links, errors };
}

/** The texts with expressions of all links. */
export function linkTexts(links: readonly LinkTemplate[]): readonly TemplateText[] {
  return links.flatMap(({ template }) => template.texts);
}

export interface RenderedLink {
  /** Only with its name when there is a problem. */
  readonly link: JsonObject;
  /** Why it has no value; empty when it has one. */
  readonly problem: string;
}

/** The units of work that the links of one resource may need. */
export interface LinkBudget {
  units: number;
}

export function linkBudget(): LinkBudget {
  return { units: limits.maxTemplateUnits };
}

export function renderLinks(
  links: readonly LinkTemplate[],
  variables: Variables,
  budget: LinkBudget,
): readonly RenderedLink[] {
  return links.map(({ name, template }) => {
    try {
      const { result, units } = template.renderWithin(budget.units, variables);
      budget.units -= units;
      return { link: objectAt(result), problem: "" };
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      return { link: { name }, problem: error.message };
    }
  });
}

/** Links that have a value. */
export function validLinks(rendered: readonly RenderedLink[]): readonly JsonObject[] {
  return rendered.filter(({ problem }) => problem === "").map(({ link }) => link);
}

/** Endpoints: one without a value is not healthy, and states its problem. */
export function endpointsOf(rendered: readonly RenderedLink[]): readonly JsonObject[] {
  return rendered.map(({ link, problem }) => {
    return problem === "" ? link : Object.assign({}, link, { problem });
  });
}
