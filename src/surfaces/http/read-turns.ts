// The share of reading HTTP/1.1 in a turn of the event loop. Node.js reads every connection that
// has data before anything else happens, and parsing requests of many connections that send without
// a pause takes seconds. So when the requests of one turn have taken some time to read, no
// connection is read any more in this turn. In the next one, groups of connections are read in
// turns, and of a group first the connections that were read least recently.
//
// Node.js has no public function for this, because it reads HTTP below its streams. The handle of a
// socket has `readStart` and `readStop`, which its own HTTP/1.1 server calls. A connection that
// Node.js has paused itself stays paused. An HTTP/2 session reads its socket itself: to start that
// from here ends the process with a fault in native code.

export interface ReadTurnsPorts {
  /** Runs the function when the event loop has read what there was, before it reads again. */
  readonly later: (run: () => void) => void;
  readonly nowMs: () => number;
  /** Reading in one turn of the event loop. */
  readonly turnMs: number;
  /** A connection without a request in this time has little to read, and is not stopped. */
  readonly recentMs: number;
  /** Undefined when the socket has ended. */
  readonly handleOf: (socket: object) => ReadHandle | undefined;
}

export interface ReadHandle {
  /** False: Node.js has stopped reading. */
  readonly reading?: boolean;
  readStart(): void;
  readStop(): void;
}

interface Connection {
  readonly socket: object;
  group: string;
  readMs: number;
  isStopped: boolean;
}

/** Has a life cycle, hence a class. */
export class ReadTurns {
  readonly #ports: ReadTurnsPorts;
  /** With a recent request; those that were read least recently are first. */
  readonly #recent = new Map<object, Connection>();
  /** Connections that were read in this turn. */
  readonly #read = new Set<object>();
  /** Of the first request of this turn. */
  #startMs: number | undefined;
  #isStopped = false;

  constructor(ports: ReadTurnsPorts) {
    this.#ports = ports;
  }

  /** A request of a connection was read. */
  took(connection: object, socket: object, group: string): void {
    const nowMs = this.#ports.nowMs();
    const known = this.#recent.get(connection);
    if (known === undefined) {
      this.#recent.set(connection, { socket, group, readMs: nowMs, isStopped: false });
    } else {
      known.group = group;
      known.readMs = nowMs;
    }
    this.#read.add(connection);
    if (this.#startMs === undefined) {
      this.#startMs = nowMs;
      this.#ports.later(() => this.#endTurn());
    } else if (!this.#isStopped && nowMs - this.#startMs >= this.#ports.turnMs) this.#stop(nowMs);
  }

  #stop(nowMs: number): void {
    this.#isStopped = true;
    for (const [key, connection] of this.#recent) {
      const { readMs, socket } = connection;
      const handle = this.#ports.handleOf(socket);
      if (handle === undefined || nowMs - readMs > this.#ports.recentMs) this.#recent.delete(key);
      else if (handle.reading !== false) {
        handle.readStop();
        connection.isStopped = true;
      }
    }
  }

  #endTurn(): void {
    this.#startMs = undefined;
    for (const key of this.#read) {
      const connection = this.#recent.get(key);
      if (connection === undefined) continue;
      this.#recent.delete(key);
      this.#recent.set(key, connection);
    }
    this.#read.clear();
    if (!this.#isStopped) return;
    this.#isStopped = false;
    for (const connection of inTurns(this.#recent.values())) {
      if (!connection.isStopped) continue;
      connection.isStopped = false;
      const handle = this.#ports.handleOf(connection.socket);
      if (handle !== undefined && handle.reading !== false) handle.readStart();
    }
  }
}

/** The types of Node.js do not declare it. */
export function handleOfSocket(socket: object): ReadHandle | undefined {
  const handle = Reflect.get(socket, "_handle") as ReadHandle | null | undefined;
  return handle ?? undefined;
}

/** One connection of each group after the other. */
function* inTurns(connections: Iterable<Connection>): Iterable<Connection> {
  const groups = new Map<string, Connection[]>();
  for (const connection of connections) {
    const group = groups.get(connection.group);
    if (group === undefined) groups.set(connection.group, [connection]);
    else group.push(connection);
  }
  for (let at = 0; groups.size > 0; at += 1) {
    for (const [name, group] of groups) {
      const connection = group[at];
      if (connection === undefined) groups.delete(name);
      else yield connection;
    }
  }
}
