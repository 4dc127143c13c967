// Which object of the service a resource stands for, and where that is. The id and the path are
// stored in the book; a path that the kind cannot have, because somebody wrote it there or because
// the kind has other paths by now, is not followed: the place is found anew by the id.

import { failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { BaseAddress } from "../http/connection.ts";
import { expandPath, templateNames } from "../plan/requests.ts";
import { parametersOf } from "./observing.ts";
import type { Session } from "./session.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

/** Notes the id and the path of the object. */
export function noteId(session: Session, id: string): void {
  const { identity, item } = session.compiled.binding;
  const parameters = parametersOf(session);
  const path =
    identity.kind === "server" || identity.kind === "client"
      ? expandPath(item, { ...parameters, [identity.parameter]: id })
      : expandPath(item, parameters);
  session.book.set({ id, path });
}

/** The parameters of an id that a person names: one, or several parted by slashes. */
export function noteAdopted(session: Session, id: string): void {
  const { identity, item } = session.compiled.binding;
  if (identity.kind !== "composite") {
    noteId(session, id);
  } else {
    const names = templateNames(item).filter((name) => Object.hasOwn(identity.fields, name));
    const parts = id.split("/");
    const own = Object.fromEntries(names.map((name, index) => [name, parts[index] ?? ""]));
    session.book.set({ id, path: expandPath(item, { ...parametersOf(session), ...own }) });
  }
  // What a person names as the result of our own creation was not there before us.
  const { creating, created } = session.book.pages;
  if (creating === undefined && created === undefined) session.book.set({ adopted: true });
}

/** Where the object is by its id, when no path is noted, or one that is none of the kind's. */
export function placeAnew(session: Session): void {
  const { book, compiled } = session;
  const { id, path } = book.pages;
  if (path !== undefined || id === undefined) return;
  const { kind } = compiled.binding.identity;
  // The service may have named the object otherwise than we do.
  const own = kind === "server" || kind === "client" ? id : ownId(session);
  if (own !== undefined) noteId(session, own);
}

/**
 * The same for a resource that goes: a person may have said meanwhile which object it is that was
 * made, or lost. What was never begun stays untouched, whatever is named, and what is ours is not
 * adopted by it.
 */
export function placeToRemove(session: Session): void {
  const { book, management } = session;
  const { path, creating, adopted } = book.pages;
  const isSought = path === undefined && (creating !== undefined || isLost(session));
  if (isSought && management.id !== undefined) {
    noteAdopted(session, management.id);
    book.set({ adopted: adopted === true ? true : undefined });
  } else placeAnew(session);
}

/** An object was made or taken over, and nothing tells any more which one it is. */
export function isLost({ book }: Session): boolean {
  const { path, id, lastApplied, creating } = book.pages;
  const wasKnown = book.hasWrongPath || lastApplied !== undefined;
  return wasKnown && path === undefined && id === undefined && creating === undefined;
}

/** Nothing is asked or deleted at an address that is none of the kind's, whoever wrote it down. */
export function lost(session: Session): Outcome {
  const { kind, binding } = session.compiled;
  const message =
    `status.connect has neither an id nor a path of the RestKind ${kind} (${binding.item}), ` +
    "although an object existed: set connect.id to the id of the object" +
    (session.resource.metadata.deletionTimestamp === undefined ? "" : `; ${howToLetGo}`);
  return failed("PathUnfit", message, { retry: "slow", status: session.book.changes() });
}

/** For people who want a resource to go, and its object to stay. */
export const howToLetGo =
  "to keep the object, annotate the resource with setpoint.dev/policy=detach-on-delete";

/** What we call it. */
export function ownId(session: Session): string | undefined {
  const { identity, item } = session.compiled.binding;
  const parameters = parametersOf(session);
  switch (identity.kind) {
    case "client":
      return parameters[identity.parameter];
    case "composite":
      return Object.keys(identity.fields)
        .map((key) => parameters[key] ?? "")
        .join("/");
    case "singleton":
      return expandPath(item, parameters);
    default:
      return undefined;
  }
}

/** Notes where the service is in which the object is made, or was seen. */
export function noteService(session: Session): void {
  session.book.set({ service: baseText(session.client.settings.base) });
}

/** The service is elsewhere by now: that an object is not there proves nothing about it. */
export function hasMoved({ book, client }: Session): boolean {
  const { service } = book.pages;
  return service !== undefined && service !== baseText(client.settings.base);
}

/** Nothing is made anew and nothing counts as deleted because a base URL was mistyped. */
export function moved(session: Session): Outcome {
  const status = session.book.changes();
  return failed("ServiceMoved", movedMessage(session), { retry: "slow", status });
}

export function movedMessage({ book, client }: Session): string {
  return (
    `the object was last seen at ${book.pages.service} and does not exist at ` +
    `${baseText(client.settings.base)}, the base URL of the connection ${client.settings.name}: ` +
    "correct the base URL, or, to create the object there, delete this resource with " +
    "setpoint.dev/policy=detach-on-delete and apply it again"
  );
}

function baseText(base: BaseAddress): string {
  if (base.kind === "socket") return `unix:${base.socketPath}:${base.prefix}`;
  return withoutTrailing(base.url.href, "/");
}
