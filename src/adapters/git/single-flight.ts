// Callers that ask for the same share one answer. The work is aborted when the last of them leaves.

export interface SingleFlight {
  run<T>(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Flight {
  readonly answer: Promise<unknown>;
  readonly stop: AbortController;
  callers: number;
}

export function singleFlight(): SingleFlight {
  const flights = new Map<string, Flight>();
  const begin = (key: string, work: (signal: AbortSignal) => Promise<unknown>): Flight => {
    const stop = new AbortController();
    const answer = work(stop.signal);
    const flight: Flight = { answer, stop, callers: 0 };
    flights.set(key, flight);
    const end = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    void answer.then(end, end);
    return flight;
  };
  return {
    run: async <T>(
      key: string,
      signal: AbortSignal,
      work: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> => {
      signal.throwIfAborted();
      const flight = flights.get(key) ?? begin(key, work);
      flight.callers += 1;
      const left = Promise.withResolvers<never>();
      const leave = (): void => left.reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      try {
        return (await Promise.race([flight.answer, left.promise])) as T;
      } finally {
        signal.removeEventListener("abort", leave);
        flight.callers -= 1;
        if (flight.callers === 0 && flights.get(key) === flight) {
          flights.delete(key);
          flight.stop.abort(signal.reason);
        }
      }
    },
  };
}
