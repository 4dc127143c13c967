/**
 * The protocol of quota services, as data. A service has three requests below its URL:
 *
 *   POST   /check                For which types has the caller a quota? Changes nothing.
 *   PUT    /reservations/KEY     Reserves units for one instance. The same KEY reserves once.
 *   DELETE /reservations/KEY     Releases them. A KEY that was released is never reserved again, so
 *                                that a request which arrives late leaves nothing behind.
 *
 * KEY is the uid of the instance. Pure; docs/reference/fleet-operations.md is the specification.
 */
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { fleetLimits } from "../limits.ts";

/** On whose behalf the service is asked. */
export interface QuotaSubject {
  readonly offering: string;
  readonly organisation: string;
  readonly user: string;
  readonly account: string;
}

export interface QuotaQuestion extends QuotaSubject {
  readonly types: readonly TypeUnits[];
}

export interface TypeUnits {
  readonly name: string;
  readonly units: number;
}

export interface Reservation extends QuotaSubject {
  readonly key: string;
  readonly type: string;
  readonly units: number;
  readonly instance: JsonObject;
}

export interface QuotaCall {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Below the URL of the service. */
  readonly path: string;
  readonly body?: JsonObject;
}

export function checkCall({ types, ...subject }: QuotaQuestion): QuotaCall {
  const body = { ...subject, types: types.map(({ name, units }) => ({ name, units })) };
  return { method: "POST", path: "/check", body };
}

export function reserveCall({ key, ...body }: Reservation): QuotaCall {
  return { method: "PUT", path: reservationPath(key), body: { ...body } };
}

export function releaseCall(key: string): QuotaCall {
  return { method: "DELETE", path: reservationPath(key) };
}

function reservationPath(key: string): string {
  return `/reservations/${encodeURIComponent(key)}`;
}

export interface QuotaAnswer {
  readonly status: number;
  readonly json: Json | undefined;
}

/** A definite no, and why. */
export interface QuotaRefusal {
  readonly kind: "refused";
  /** exceeded: all units are in use. insufficient: there is no quota for it. */
  readonly code: "exceeded" | "insufficient";
  /** Of the service, for the customer. */
  readonly message: string;
}

export type TypeAnswer = { readonly kind: "allowed" } | QuotaRefusal;

/** By type; undefined when the answer has another form. Types that it leaves out are refused. */
export function readCheck(
  { status, json }: QuotaAnswer,
  { types }: QuotaQuestion,
): ReadonlyMap<string, TypeAnswer> | undefined {
  if (status !== 200) return undefined;
  const answers = objectsAt(json, "types");
  return new Map(
    types.map(({ name }) => {
      const answer = answers.find((each) => textAt(each, "name") === name);
      return [name, isTrueAt(answer, "allowed") ? { kind: "allowed" } : refusalIn(answer)];
    }),
  );
}

export type ReservationAnswer =
  | { readonly kind: "reserved"; readonly subscription: string }
  | QuotaRefusal
  /** The key was released before: the instance is being deleted, or a request came late. */
  | { readonly kind: "released" };

/** Undefined for an answer that is not part of the protocol. */
export function readReservation({ status, json }: QuotaAnswer): ReservationAnswer | undefined {
  if (status === 200 || status === 201) {
    const subscription = textAt(json, "subscription").slice(0, fleetLimits.maxSubscriptionChars);
    return { kind: "reserved", subscription };
  }
  if (status === 403) return refusalIn(json);
  return status === 410 ? { kind: "released" } : undefined;
}

/** A reservation that does not exist is released: nothing else could be done about it. */
export function isReleased({ status }: Pick<QuotaAnswer, "status">): boolean {
  return (status >= 200 && status < 300) || status === 404 || status === 410;
}

function refusalIn(json: Json | undefined): QuotaRefusal {
  const code = textAt(json, "reason") === "exceeded" ? "exceeded" : "insufficient";
  const message = shortText(textAt(json, "message"), fleetLimits.maxQuotaMessageChars)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  return { kind: "refused", code, message };
}
