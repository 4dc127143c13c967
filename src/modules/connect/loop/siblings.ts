// The other resources of a kind, as far as they could have the same object. They are found by terms
// of the index, whatever number of them there is. Those that only observe do not count.

import { allPages } from "../../../intents/read/all-pages.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import { keptTerm } from "../kinds/kept-terms.ts";
import type { Resource } from "../../../kernel/resource.ts";

import { managementOf } from "./management.ts";
import type { Session } from "./session.ts";

export interface Siblings {
  /** Resources of the kind, in all namespaces, in whose books the term has one of the values. */
  find(
    kind: string,
    term: keyof typeof keptTerm,
    values: readonly string[],
  ): Promise<readonly Resource[]>;
}

export function siblingsIn(store: Pick<Intents["store"], "list">): Siblings {
  return {
    find: async (kind, term, values) => {
      const fields = [{ path: keptTerm[term], operator: "in", values }] as const;
      const found: Resource[] = [];
      for await (const page of allPages(store, { kind, fields }, kind)) {
        for (const { body, revision } of page.records) found.push(decodeDocument(body, revision));
      }
      return found;
    },
  };
}

/** Others that manage the object at the path, by the same connection. */
export async function holdersOf(session: Session, path: string): Promise<readonly Resource[]> {
  const { compiled, siblings, book } = session;
  const { id = "" } = book.pages;
  if (compiled.binding.element === undefined) {
    const found = await siblings.find(compiled.kind, "path", [path]);
    return found.filter((each) => isRival(session, each));
  }
  // Elements of one object all have its path.
  const found = id === "" ? [] : await siblings.find(compiled.kind, "id", [id]);
  const isThere = (each: Resource): boolean => textAt(each.status, "connect", "path") === path;
  return found.filter((each) => isThere(each) && isRival(session, each));
}

/** Others whose creations nobody knows the end of yet. */
export async function creatorsBeside(session: Session): Promise<readonly Resource[]> {
  const found = await session.siblings.find(session.compiled.kind, "creating", ["true"]);
  return found.filter((each) => isRival(session, each));
}

/**
 * The one among others whose object it is rather than ours: what was made comes before what was
 * adopted, then the older resource before the younger, so that all who look come to the same.
 */
export function rightfulOf(
  { resource, book }: Session,
  others: readonly Resource[],
): Resource | undefined {
  const own = rank(resource, book.pages.adopted === true);
  return others.find((other) => rank(other, isAdopted(other)) < own);
}

/** For people who may see the one namespace and perhaps not the other. */
export function nameOfSibling({ resource }: Session, other: Resource): string {
  const { namespace, name } = other.metadata;
  return namespace === resource.metadata.namespace
    ? `the resource ${name}`
    : "a resource of another namespace";
}

function isRival(session: Session, other: Resource): boolean {
  const { resource, management, compiled } = session;
  if (other.metadata.uid === resource.metadata.uid) return false;
  const theirs = managementOf(other);
  if (theirs.manage === "observe") return false;
  const { connection: usual } = compiled.binding;
  return (theirs.connection ?? usual) === (management.connection ?? usual);
}

function isAdopted(other: Resource): boolean {
  return isTrueAt(other.status, "connect", "adopted");
}

function rank({ metadata }: Resource, isTaken: boolean): string {
  return `${isTaken ? 1 : 0} ${metadata.creationTimestamp} ${metadata.uid}`;
}
