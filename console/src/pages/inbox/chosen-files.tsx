import { staffFiles } from '@botyard/contracts/staff-file-limits';
import { Paperclip, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type RefObject, useRef, useState } from 'react';
import { IconButton } from '../../parts/controls.tsx';
import { sizeOf } from '../../parts/text.tsx';

const { most, maxBytesOfOne } = staffFiles;

/** The same file, chosen twice, is one. */
const keyOf = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`;

interface ChosenFilesState {
  chosen: readonly File[];
  /** Why a file was not taken. */
  problem: string | undefined;
  input: RefObject<HTMLInputElement | null>;
  add: (files: FileList | null) => void;
  remove: (file: File) => void;
}

/** The files that a message is going to have: chosen in a dialog, pasted, or dropped on the composer. */
export function useChosenFiles() {
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const add = (list: FileList | null) => {
    const files = [...(list ?? [])];
    const fitting = files.filter(({ size }) => size > 0 && size <= maxBytesOfOne);
    const others = files.filter((file) => !fitting.includes(file)).map(({ name }) => name);
    const all = [...new Map([...chosen, ...fitting].map((file) => [keyOf(file), file])).values()];
    setChosen(all.slice(0, most));
    if (others.length > 0) setProblem(`Empty, or larger than ${sizeOf(maxBytesOfOne)}: ${others.join(', ')}`);
    else setProblem(all.length > most ? `A message has up to ${most} files.` : undefined);
  };
  return {
    chosen,
    problem,
    input,
    add,
    remove: (file: File) => {
      setChosen(chosen.filter((one) => one !== file));
      setProblem(undefined);
    },
    clear: () => {
      setChosen([]);
      setProblem(undefined);
    },
    choose: () => input.current?.click(),
    onPaste: (event: ClipboardEvent) => {
      if (event.clipboardData.files.length === 0) return;
      event.preventDefault();
      add(event.clipboardData.files);
    },
    dropping: {
      onDragOver: (event: DragEvent) => event.preventDefault(),
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        add(event.dataTransfer.files);
      },
    },
  };
}

/** Shows the files of the message, each with a button that takes it out. */
export function ChosenFiles({ files: { chosen, problem, input, add, remove } }: { files: ChosenFilesState }) {
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          add(target.files);
          // The same file can be chosen again after it was taken out.
          target.value = '';
        }}
      />
      {chosen.length > 0 && (
        <ul aria-label="Files" className="flex flex-wrap gap-2">
          {chosen.map((file) => (
            <li
              key={keyOf(file)}
              className="flex max-w-full min-w-0 items-center gap-2 rounded-lg border border-line bg-sunk pl-3 text-sm"
            >
              <Paperclip aria-hidden="true" className="size-4 shrink-0" />
              <bdi className="truncate">{file.name}</bdi>
              <span className="whitespace-nowrap text-soft">{sizeOf(file.size)}</span>
              <IconButton icon={X} label={`Remove ${file.name}`} onClick={() => remove(file)} />
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p role="alert" className="text-sm [overflow-wrap:anywhere] text-bad">
          {problem}
        </p>
      )}
    </>
  );
}
