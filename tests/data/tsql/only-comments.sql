-- nothing
/* at /* all */ */
