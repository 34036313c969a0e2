/* isdigit, toupper and the rest are known to the reader by name. */
