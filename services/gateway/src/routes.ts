import { admit } from './routes/admit.ts';
import { forward } from './routes/forward.ts';
import { answerHealth } from './routes/health.ts';
import { takeTelemetry } from './routes/otel.ts';
import { readTarget } from './routes/read-target.ts';
import { answerReference } from './routes/reference.ts';

/** What happens to every request of the public side, in this order. */
export const steps = [readTarget, answerHealth, answerReference, takeTelemetry, admit, forward];
