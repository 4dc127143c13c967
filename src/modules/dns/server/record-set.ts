// A record set (RRset) as the server has it: all records of one name and type.

import type { RecordType } from "../names/record-values.ts";

export interface RecordSetKey {
  /** Canonical. */
  readonly name: string;
  readonly type: RecordType;
}

/** What a DnsRecord wants. */
export interface WantedRecords extends RecordSetKey {
  readonly ttl: number;
  /** Canonical, sorted, without duplicates. */
  readonly values: readonly string[];
}

/** What the server has. It has a set without values where only comments are left of one. */
export interface RecordSet {
  readonly ttl: number;
  /** Canonical, without those that are disabled. */
  readonly values: readonly string[];
  /** Whether it has records that the server does not publish. */
  readonly hasDisabled: boolean;
  readonly comments: readonly RecordComment[];
}

export interface RecordComment {
  readonly account: string;
  readonly content: string;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}
