import type { Schema } from '@botyard/client/client';
import { useActing } from '../../api/acting.tsx';
import { postAction, useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/controls.tsx';
import { Fault } from '../../parts/states.tsx';
import type { PlatformForm } from './platform-form.ts';

/** Connects the bot by installing our app at the platform, in place of an app of the tenant's own. */
export function InstallApp({ form: { name, title }, botId }: { form: PlatformForm; botId: string }) {
  const { tenantId } = useActing();
  const begin = useAction<Schema<'Authorization'>>();
  const install = async () => {
    const { url } = await begin.mutateAsync(
      postAction(
        `Continue at ${title}`,
        '/api/bots/{tenantId}/{botId}/integrations/{integrationType}/authorize',
        { names: { tenantId: tenantId ?? '', botId, integrationType: name } },
      ),
    );
    window.location.assign(url);
  };
  return (
    <div className="grid justify-items-start gap-2">
      {begin.error && <Fault error={begin.error} />}
      <Button
        look="main"
        disabled={begin.isPending}
        // A failure is shown above the button.
        onClick={() => void install().catch(() => undefined)}
      >
        Add to {title}
      </Button>
      <p className="text-sm text-soft">Or connect an app of your own:</p>
    </div>
  );
}
