/** Botyard's mark: two speech bubbles that stand like a B. */
export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path d="M9 7h8.5a4.75 4.75 0 0 1 3 8.4A5 5 0 0 1 18.5 25H13l-4 3z" className="fill-accent-ink" />
      <circle cx="14" cy="11.8" r="1.5" className="fill-accent" />
      <circle cx="18" cy="11.8" r="1.5" className="fill-accent" />
      <circle cx="14" cy="20" r="1.5" className="fill-accent" />
      <circle cx="18" cy="20" r="1.5" className="fill-accent" />
    </svg>
  );
}
