// Ends a run of the engine because the server stops. The program of the run goes on below its
// supervisor, and the next server continues.

export class HandedOver extends Error {
  constructor() {
    super("the server stops; the next server continues the run");
    this.name = "HandedOver";
  }
}
